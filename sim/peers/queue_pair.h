// queue_pair.h: one queue pair between guest and host, watched from outside.
//
// Invariants: every frame that went in is in one place or has come out;
// Little's law and flow balance hold for qdisc, tx ring and tap queue.

#ifndef SIM_PEERS_QUEUE_PAIR_H_
#define SIM_PEERS_QUEUE_PAIR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/passage.h"
#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/net_device.h"
#include "sim/peers/net_driver.h"
#include "sim/scenario.pb.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/units.h"

namespace sim {

class QueuePair {
 public:
  static NetDriver::Options DriverOptions(const Scenario& scenario);

  // `memory` and the guest's sockets outlive the pair. Errors: those of the
  // driver and the device.
  static absl::StatusOr<std::unique_ptr<QueuePair>> Create(
      const Scenario& scenario, virtqueue::OwnedGuestMemory& memory,
      DatagramEndpoint& guest_sockets, uint32_t index);

  NetDriver& driver() { return *driver_; }
  const NetDriver& driver() const { return *driver_; }
  NetDevice& device() { return *device_; }
  const NetDevice& device() const { return *device_; }

  // To be called after each step of either half.
  void Observe(vsock::Instant now);

  // Frames on their way, in either direction.
  uint64_t FramesToHost() const;
  uint64_t FramesToGuest() const;

  // Operational laws, and whether a ring is broken.
  absl::Status Check(vsock::Instant now) const;

 private:
  QueuePair(std::unique_ptr<NetDriver> driver,
            std::unique_ptr<NetDevice> device, const std::string& name);

  std::unique_ptr<NetDriver> driver_;
  std::unique_ptr<NetDevice> device_;
  Passage qdisc_;
  Passage tx_ring_;
  Passage tap_queue_;
};

}  // namespace sim

#endif  // SIM_PEERS_QUEUE_PAIR_H_
