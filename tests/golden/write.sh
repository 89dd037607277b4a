#!/bin/bash
# Writes the small golden reports anew. Argument: the program.

set -eu
readonly PROGRAM=$PWD/$1
export RUNFILES_DIR=${PWD%/*}
source "$PWD/tests/golden/small.sh"
readonly NEW=$(mktemp -d)
trap 'rm -rf "$NEW"' EXIT
"$PROGRAM" "${SMALL[@]}" >"$NEW/fairness_small.txt"
"$PROGRAM" "${SMALL[@]}" --json=- >"$NEW/fairness_small.json"
"$PROGRAM" "${SMALL[@]}" --csv=- >"$NEW/fairness_small.csv"
cp "$NEW"/* "$BUILD_WORKSPACE_DIRECTORY/tests/golden/"
