#!/bin/busybox sh
# shellcheck shell=dash
#
# The first process of the guest. What the kernel's command line says of `cases`
# is in the environment: their names, with commas. Without it, a shell.

export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*; do
  insmod "$module"
done

echo "guest features $(cat /sys/bus/virtio/devices/virtio0/features)"
if [ -n "${cases-}" ]; then
  # shellcheck disable=SC2046 # A case is one word.
  guest_cases $(echo "$cases" | tr , ' ')
else
  setsid -c sh
fi
poweroff -f
