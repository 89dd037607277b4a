// net_driver.h: the guest's driver for one queue pair of virtio-net.
//
// Spec: virtio 1.3, 5.1.6 "Device Operation". Queueing follows Linux
// (drivers/net/virtio_net.c, net/sched): a frame goes straight to the ring;
// when the ring is full the queue stops, frames wait in its qdisc (pfifo), and
// beyond that they are dropped silently until a tx interrupt starts it again.
//   with tx napi     an interrupt takes used frames back, and with them their
//                    charge: the sender is held to SO_SNDBUF all the way
//   without          the frame is orphaned on its way to the ring: its charge
//                    returns at once, and used frames are taken back by later
//                    sends; an interrupt comes only for a stopped queue
// Rx buffers are mergeable: a frame takes as many as it needs.
// Trust: none in the device: lengths and num_buffers are judged here.
// Left out: offloads, the control queue, the reserve of 19 descriptors below
// which Linux stops the queue, weights of napi.

#ifndef SIM_PEERS_NET_DRIVER_H_
#define SIM_PEERS_NET_DRIVER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/peers/buffer_places.h"
#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/net_effects.h"
#include "sim/peers/net_frame.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "vsock/packet.h"

namespace sim {

class NetDriver {
 public:
  struct Options {
    virtqueue::RingFormat ring_format = virtqueue::RingFormat::kSplit;
    uint16_t ring_size = 128;
    bool event_idx = true;
    bool indirect = true;
    bool in_order = false;
    uint32_t mtu = 1500;
    bool tx_napi = true;
    uint32_t qdisc_frames = 1000;
    vsock::PayloadMode payload = vsock::PayloadMode::kElided;
  };

  // Guest memory that one such driver lays out.
  static uint64_t MemoryBytes(const Options& options);

  // Lays out rings and buffers and posts every rx buffer. `memory` and
  // `sockets`, whose charges are released here, outlive the driver.
  // InvalidArgument: a size that no ring has, or a ring with too few buffers
  // for one frame.
  static absl::StatusOr<std::unique_ptr<NetDriver>> Create(
      virtqueue::OwnedGuestMemory& memory, const Options& options,
      DatagramEndpoint& sockets);
  NetDriver(const NetDriver&) = delete;
  NetDriver& operator=(const NetDriver&) = delete;

  // In the sender's context: to the ring, to the qdisc, or dropped.
  NetEffects Transmit(NetFrame frame);

  // The napi worker, after an interrupt: takes used frames back, moves the
  // qdisc on, hands up the frame in hand and takes up the next one.
  NetEffects NapiStep();

  const virtqueue::RingAddrs& tx_ring() const { return tx_addrs_; }
  const virtqueue::RingAddrs& rx_ring() const { return rx_addrs_; }

  // Frames that went into the qdisc and came out, were put on the tx ring, and
  // were taken from the rx ring; what lies here.
  uint64_t qdisc_in() const { return qdisc_in_; }
  uint64_t qdisc_out() const { return qdisc_in_ - qdisc_.size(); }
  uint64_t tx_added() const { return tx_added_; }
  uint64_t rx_taken() const { return rx_taken_; }
  uint64_t rx_malformed() const { return rx_malformed_; }
  uint64_t in_hand() const { return in_hand_.has_value() ? 1 : 0; }
  uint64_t in_qdisc() const { return qdisc_.size(); }
  // What the frames here take from send buffers, added up one by one.
  uint64_t ChargeHeld() const;
  // OK, or why a ring is quarantined.
  absl::Status status() const;

 private:
  NetDriver(virtqueue::OwnedGuestMemory& memory, const Options& options,
            DatagramEndpoint& sockets, const virtqueue::RingAddrs& tx_addrs,
            const virtqueue::RingAddrs& rx_addrs, virtqueue::DriverQueue tx,
            virtqueue::DriverQueue rx);

  bool AddToRing(NetFrame& frame, NetEffects& effects);
  void Stop(NetEffects& effects);
  void Reclaim(NetEffects& effects);
  void DecideKick(NetEffects& effects);
  void AskForTxInterrupt(NetEffects& effects);
  void ServeTx(NetEffects& effects);
  bool TakeUp(NetEffects& effects);
  std::optional<NetFrame> Merge(const virtqueue::DriverQueue::Used& first,
                                NetEffects& effects);
  void AppendPlace(size_t place, uint32_t from, uint32_t to, NetFrame& frame);
  void Refill(NetEffects& effects);
  bool Rest(NetEffects& effects);
  bool interrupts_for_tx() const { return options_.tx_napi || stopped_; }

  const Options options_;
  const uint32_t rx_buffer_bytes_;
  DatagramEndpoint& sockets_;
  const virtqueue::RingAddrs tx_addrs_;
  const virtqueue::RingAddrs rx_addrs_;

  virtqueue::DriverQueue tx_;
  BufferPlaces tx_places_;
  std::vector<NetFrame> in_tx_ring_;  // by place
  std::vector<uint16_t> free_places_;
  std::deque<NetFrame> qdisc_;
  uint64_t qdisc_in_ = 0;
  uint64_t tx_added_ = 0;
  bool stopped_ = false;  // no room in the ring
  bool added_since_kick_ = false;
  bool kick_needed_ = false;

  virtqueue::DriverQueue rx_;
  BufferPlaces rx_places_;
  std::vector<uint16_t> unposted_;
  std::optional<NetFrame> in_hand_;
  uint64_t rx_taken_ = 0;
  uint64_t rx_malformed_ = 0;
};

}  // namespace sim

#endif  // SIM_PEERS_NET_DRIVER_H_
