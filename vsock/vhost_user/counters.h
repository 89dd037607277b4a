// counters.h: what a device has done so far, as lines of text.
//
// One counter a line: a name, a space, a number. Names stay what they are, and
// README.md says what each counts; "prints" is the last line of every print.

#ifndef VSOCK_VHOST_USER_COUNTERS_H_
#define VSOCK_VHOST_USER_COUNTERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "vsock/device.h"
#include "vsock/drop.h"
#include "vsock/transport.h"
#include "vsock/vhost_user/device_setup.h"

namespace vsock::vhost_user {

struct Counters {
  // Front ends, and what went wrong with one.
  uint64_t front_ends = 0;
  uint64_t front_end_messages = 0;
  uint64_t front_end_faults = 0;

  // Drivers that came to life, and starts of the rings, resumptions included.
  uint64_t drivers = 0;
  uint64_t ring_starts = 0;
  // Rings that the guest broke.
  uint64_t ring_faults = 0;
  // Connections that were reset for what the guest did; and for what this
  // device did, which must not be.
  uint64_t connection_faults = 0;
  uint64_t property_breaches = 0;

  // By queue.
  std::array<uint64_t, kQueues> kicks = {};
  std::array<uint64_t, kQueues> calls = {};
  std::array<uint64_t, kQueues> chains = {};
  uint64_t calls_suppressed = 0;

  Transport::Counters packets;
  std::array<DropCounters::Count, kDropReasons> drops = {};

  uint64_t connections_accepted = 0;
  uint64_t forwarded_from_guest = 0;
  uint64_t forwarded_to_guest = 0;
  uint64_t forwarding_refused = 0;

  // Adds what a transport or a device that ends, or is looked at, has counted.
  void Add(Transport& transport);
  void Add(Device& device);

  // `prints` is how often it was asked, this time included.
  std::string Text(uint64_t prints) const;

 private:
  void AddDrops(const DropCounters& more);
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_COUNTERS_H_
