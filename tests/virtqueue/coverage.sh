#!/bin/bash
# coverage.sh: which lines of virtqueue/ no test of the rings runs.
#
#   tests/virtqueue/coverage.sh
#
# Prints a table by file, then the lines. It wants clang, and LLVM's tools from
# Debian's llvm package. Options are handed to bazel.

set -eu
cd "$(dirname "$0")/../.."

readonly SCOPE='tests(//tests/virtqueue:all + //tests/fuzz:all +
  filter("ring|order|reset|notification", //tests/conformance:all))'
readonly OPTIONS=(--config=clang "--copt=-fcoverage-compilation-dir=."
  --copt=-fprofile-instr-generate --copt=-fcoverage-mapping
  --linkopt=-fprofile-instr-generate)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mapfile -t tests < <(./bazelw query --noshow_progress "kind(cc_test, $SCOPE)")
./bazelw test --noshow_progress --nocache_test_results \
  "${OPTIONS[@]}" "$@" "--sandbox_writable_path=$scratch" \
  "--test_env=LLVM_PROFILE_FILE=$scratch/%m_%p.profraw" "${tests[@]}" >&2

llvm-profdata merge -o "$scratch/profile" "$scratch"/*.profraw
bin=$(./bazelw info "${OPTIONS[@]}" "$@" bazel-bin)
objects=()
for test in "${tests[@]}"; do # the first goes without -object
  path=${test#//}
  objects+=(-object "$bin/${path/://}")
done
cover() {
  llvm-cov "$1" -instr-profile="$scratch/profile" "${objects[@]:1}" \
    "${@:2}" -ignore-filename-regex="tests/|vsock/" 2>"$scratch/errors"
}
cover report -show-region-summary=false -show-branch-summary=false
cover export -format=lcov | awk -F'[:,]' '
  /^SF/ { file = $2 }
  /^DA/ && $3 == 0 { print file ":" $2 }' | sort -t: -k1,1 -k2,2n
