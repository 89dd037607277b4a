#!/bin/bash
# The programs as a user meets them: exit codes, messages, files.
# Arguments: //sim:fairness and //sim:run.

set -u
readonly FAIRNESS=$PWD/$1
readonly RUN=$PWD/$2
readonly SHORT=(--duration=5ms --replicates=1 --set=warmup_us=2000)
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

# Runs what follows the wanted exit code and the wanted words of its errors.
expect_error() {
  "${@:3}" >out 2>err
  local code=$?
  [[ $code == "$1" ]] || fail "${*:3}: exit code $code, not $1"
  grep -qF -- "$2" err || fail "${*:3}: no \"$2\" in: $(cat err)"
}

expect_success() {
  "$@" >out 2>err || fail "$*: exit code $?: $(cat err)"
}

# From any folder.
mkdir -p "$TEST_TMPDIR/user" && cd "$TEST_TMPDIR/user" || exit 1
unset BUILD_WORKING_DIRECTORY

lists_presets_with_their_questions() {
  expect_success "$RUN" --list
  grep -qE '^noisy_neighbour +How much ' out || fail "--list: $(cat out)"
}

helps_with_examples() {
  expect_success "$FAIRNESS" --help
  grep -qF './bazelw run //sim:fairness -- --pool=64' out || fail "no example"
  expect_success "$RUN" --help
}

refuses_a_wrong_command_line() {
  expect_error 2 'unknown flag --pol; did you mean --pool?' "$FAIRNESS" --pol=1
  expect_error 2 '--pool=x: not a lawful value' "$FAIRNESS" --pool=x
  expect_error 2 'expected only flags' "$FAIRNESS" replay
  expect_error 2 'expected one scenario' "$RUN"
  expect_error 2 'did you mean replay' "$RUN" repla
  [[ ! -s out ]] || fail "a wrong command line printed to standard output"
}

refuses_a_wrong_scenario_and_touches_no_file() {
  printf 'name: "x"\nquestion: "?"\nduration_ms: 5\n' >wrong.textproto
  echo old >result.json
  expect_error 2 'wrong.textproto:3:1: ' "$RUN" wrong.textproto \
    --json=result.json --csv=result.csv
  [[ $(cat result.json) == old ]] || fail "result.json was touched"
  [[ ! -e result.csv ]] || fail "result.csv was written"
  expect_error 2 'none.textproto: cannot be read' "$RUN" none.textproto
}

takes_paths_from_the_users_folder() {
  mkdir -p elsewhere
  cat >elsewhere/mine.textproto <<'END'
name: "mine"
question: "Is it found?"
flow { name: "f" type: STREAM from { cid: 3 } to { cid: 2 port: 1 } }
END
  BUILD_WORKING_DIRECTORY=$PWD/elsewhere \
    expect_success "$RUN" mine.textproto "${SHORT[@]}" --json=mine.json
  grep -qF '"name": "mine"' elsewhere/mine.json || fail "no elsewhere/mine.json"
}

replays_to_the_same_bytes() {
  expect_success "$FAIRNESS" "${SHORT[@]}" --seed=7 --pool=3
  mv out first
  local line
  line=$(grep '^Replay: ' first)
  [[ $line == 'Replay: ./bazelw run //sim:fairness -- '* ]] || fail "$line"
  read -ra flags <<<"${line#*-- }"
  expect_success "$FAIRNESS" "${flags[@]}"
  cmp first out || fail "the replay line prints something else"
}

another_seed_prints_something_else() {
  expect_success "$FAIRNESS" "${SHORT[@]}" --seed=8 --pool=3 --json=-
  mv out eight
  expect_success "$FAIRNESS" "${SHORT[@]}" --seed=9 --pool=3 --json=-
  ! cmp -s eight out || fail "seeds 8 and 9 give the same"
}

is_interrupted_with_a_partial_result() {
  mkfifo head
  "$FAIRNESS" --duration=100s --jobs=1 --json=partial.json >head 2>err &
  local program=$!
  exec 3<head
  read -r _ <&3 # The first line is there before the first run is over.
  kill -INT $program
  cat <&3 >out
  exec 3<&-
  wait $program
  local code=$?
  [[ $code == 130 ]] || fail "exit code $code after Ctrl-C, not 130"
  grep -q '^INTERRUPTED: 0 of 27 runs' out || fail "no word on the interruption"
  grep -qF '"complete": false' partial.json || fail "no partial result"
}

lists_presets_with_their_questions
helps_with_examples
refuses_a_wrong_command_line
refuses_a_wrong_scenario_and_touches_no_file
takes_paths_from_the_users_folder
replays_to_the_same_bytes
another_seed_prints_something_else
is_interrupted_with_a_partial_result
exit $failed
