#!/bin/bash
# Writes the small golden reports anew. Argument: the program.

set -eu
readonly PROGRAM=$PWD/$1
source "$PWD/tests/golden/small.sh"
cd "$BUILD_WORKSPACE_DIRECTORY/tests/golden"
"$PROGRAM" "${SMALL[@]}" >fairness_small.txt
"$PROGRAM" "${SMALL[@]}" --json=- >fairness_small.json
"$PROGRAM" "${SMALL[@]}" --csv=- >fairness_small.csv
