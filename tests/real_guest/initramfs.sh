#!/bin/sh
# Packs an initramfs: output, init, busybox, guest_cases, modules in the order in
# which they are loaded. Without busybox it is empty.

set -eu

output=$1 init=$2 busybox=$3 cases=$4
shift 4
if [ ! -s "$busybox" ]; then
  : >"$output"
  exit 0
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/dev" "$root/modules" "$root/proc" "$root/sys"
cp -L "$init" "$root/init"
cp -L "$busybox" "$root/bin/busybox"
cp -L "$cases" "$root/bin/guest_cases"
cp -L "$@" "$root/modules"
chmod +x "$root/init" "$root/bin/busybox"

busybox=$(realpath "$busybox")
(cd "$root" && find . | LC_ALL=C sort | "$busybox" cpio -o -H newc 2>/dev/null) \
  >"$output"
