#!/bin/bash
# spec_map_test: docs/spec_map.md and the Spec() calls of the tests say the same.
#
# Arguments: the map, then every test source that calls Spec(). Each row of the
# map has to name a test that is there and claims that rule, and each claim has to
# have its row.

set -eu
map=$1
shift

# file|Suite.Name|version|clause|LEVEL for each Spec() call.
claims() {
  awk '
    function level(name) {
      if (name == "Must") return "MUST"
      if (name == "MustNot") return "MUST NOT"
      if (name == "Should") return "SHOULD"
      if (name == "ShouldNot") return "SHOULD NOT"
      return "MAY"
    }
    /^TEST(_F|_P)?\(/ {
      declaration = $0
      while (declaration !~ /\)/) {
        getline
        declaration = declaration $0
      }
      sub(/^TEST(_F|_P)?\(/, "", declaration)
      sub(/\).*/, "", declaration)
      sub(/, */, ".", declaration)
    }
    /^ +Spec\(/ {
      split($0, quoted, "\"")
      rule = $0
      sub(/.*Level::k/, "", rule)
      sub(/\).*/, "", rule)
      print FILENAME "|" declaration "|" quoted[2] "|" quoted[4] "|" level(rule)
    }' "$@"
}

# The same for each row "| clause | LEVEL | rule | `file` | `Suite.Name` |" under
# a heading "## virtio <version>".
rows() {
  awk -F ' *[|] *' '
    /^## virtio / { split($0, words, /[ ,]/); version = words[3] }
    /^\| [0-9]/ {
      gsub(/`/, "")
      print $5 "|" $6 "|" version "|" $2 "|" $3
    }' "$1"
}

claims "$@" | sort >"$TEST_TMPDIR/claims"
rows "$map" | sort >"$TEST_TMPDIR/rows"

wrong=0
if ! [[ -s $TEST_TMPDIR/claims && -s $TEST_TMPDIR/rows ]]; then
  echo "no claim or no row at all: the sources or the map are not read right"
  wrong=1
fi
if [[ -n $(uniq -d "$TEST_TMPDIR/rows") ]]; then
  echo "rows of the map that are there twice:"
  uniq -d "$TEST_TMPDIR/rows"
  wrong=1
fi
if ! comm -13 "$TEST_TMPDIR/claims" "$TEST_TMPDIR/rows" | awk '
  { print "row without a test that claims it: " $0 } END { exit NR != 0 }'; then
  wrong=1
fi
if ! comm -23 "$TEST_TMPDIR/claims" "$TEST_TMPDIR/rows" | awk '
  { print "test whose claim has no row: " $0 } END { exit NR != 0 }'; then
  wrong=1
fi
exit $wrong
