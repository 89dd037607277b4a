#!/bin/sh
# Instructions that one buffer of one descriptor takes through a ring, from
# add to collect with all publishing: the difference of runs of one and of two
# million buffers under callgrind, so that setup does not count.
#
#   bazel build -c opt //bench:ring_instructions
#   bench/ring_instructions.sh bazel-bin/bench/ring_instructions

set -eu

program=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The instructions of one run.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" \
    "$program" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}

for shape in "--depth=32" "--depth=32 --event_idx" \
  "--depth=1" "--depth=1 --event_idx" \
  "--packed --depth=32" "--packed --depth=32 --event_idx" \
  "--packed --depth=1" "--packed --depth=1 --event_idx"; do
  # The words of $shape are flags.
  # shellcheck disable=SC2086
  once=$(count --buffers=1000000 $shape)
  # shellcheck disable=SC2086
  twice=$(count --buffers=2000000 $shape)
  awk -v once="$once" -v twice="$twice" -v shape="$shape" 'BEGIN {
    printf "%7.2f instructions a buffer  %s\n", (twice - once) / 1e6, shape
  }'
done
