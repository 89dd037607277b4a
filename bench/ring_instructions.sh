#!/bin/sh
# Instructions that one buffer of one descriptor takes through a ring, from
# add to collect with all publishing, and how many of them are locked, which is
# what a full fence costs: the difference of runs of one and of two million
# buffers under callgrind, so that setup does not count.
#
#   bazel build -c opt //bench:ring_instructions
#   bench/ring_instructions.sh bazel-bin/bench/ring_instructions

set -eu

program=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Where the locked instructions are. An exchange with memory always is one.
objdump -d --no-show-raw-insn "$program" |
  awk '/\t(xchg|lock) / && /\(%/ { sub(":", "", $1); print "0x" $1 }' \
    >"$out/locked"

# The instructions of one run, and the locked ones.
count() {
  valgrind --tool=callgrind --dump-instr=yes --compress-pos=no \
    --callgrind-out-file="$out/callgrind" "$program" "$@" >/dev/null 2>&1
  awk 'NR == FNR { locked[$1] = 1; next }
       /^calls=/ { getline; next }
       /^0x/ { all += $3; if ($1 in locked) fences += $3 }
       END { printf "%d %d\n", all, fences }' "$out/locked" "$out/callgrind"
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
  printf '%s %s\n' "$once" "$twice" | awk -v shape="$shape" '{
    printf "%7.2f instructions a buffer, %.3f locked  %s\n",
           ($3 - $1) / 1e6, ($4 - $2) / 1e6, shape
  }'
done
