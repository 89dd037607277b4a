#!/bin/bash
# The reports of a short fairness experiment, byte for byte, as text, JSON and
# CSV, with one job and with three. Argument: the program.

set -eu
readonly PROGRAM=$PWD/$1
readonly GOLDEN=$PWD/tests/golden
source "$GOLDEN/small.sh"

# Its name, the file it must equal, and further flags.
expect_same() {
  "$PROGRAM" "${SMALL[@]}" "${@:3}" >"$TEST_TMPDIR/report"
  if ! diff -u "$GOLDEN/$2" "$TEST_TMPDIR/report"; then
    echo "$1 differs from tests/golden/$2"
    exit 1
  fi
}

for jobs in 1 3; do
  expect_same "text, $jobs jobs" fairness_small.txt --jobs=$jobs
  expect_same "JSON, $jobs jobs" fairness_small.json --jobs=$jobs --json=-
  expect_same "CSV, $jobs jobs" fairness_small.csv --jobs=$jobs --csv=-
done
