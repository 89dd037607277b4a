#!/bin/sh
# Instructions a whole message takes, in all and by function: the difference of
# two runs under callgrind, so that setup does not count.
#
#   bazel build -c opt --strip=never //bench:message_instructions
#   bench/message_instructions.sh bazel-bin/bench/message_instructions \
#     [--stream] [--noto_host] [--noelided] [--batch=16] [--bytes=4096]

set -eu

program=$1
shift
messages=16000
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Prints lines of instructions, a tab, and file:function.
count() {
  how_many=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" \
    "$program" --messages="$how_many" "$@" >/dev/null 2>"$out/log"
  callgrind_annotate --threshold=100 "$out/callgrind" |
    sed -nE 's/^ *([0-9,]+) +\([^)]*\)  /\1\t/p' |
    awk -F '\t' -v OFS='\t' '{ gsub(",", "", $1); print }'
}

count "$messages" "$@" >"$out/once"
count "$((2 * messages))" "$@" >"$out/twice"

awk -F '\t' -v messages="$messages" '
  NR == FNR { once[$2] = $1; next }
  {
    each = ($1 - once[$2]) / messages
    sub(/^[^:]*:/, "", $2)
    sub(/ \[.*/, "", $2)
    if (each >= 1) printf "%8.1f  %s\n", each, $2
  }' "$out/once" "$out/twice" | sort -rn | head -n 26
