// device.h: the host's device for one guest: the rings on one side, the host's
// transport on the other.
//
// Spec: virtio 1.3, 5.10.6 and 5.10.6.1 "Virtqueue Flow Control". Queueing
// follows Linux (drivers/vhost/vsock.c): one worker serves both directions in
// turns of at most 256 packets or 512 KiB; a stream packet is cut to the rx
// buffer's size; a turn notifies the driver once, at its end; a bound on
// queued replies stops the tx side.
// Trust: none in the driver. Each chain is checked by the queue, its header
// copied once and judged here, and it is completed whatever it held.
// Left out: the event queue; sibling guests.
//
// One thread at a time. The driver half may be on another.

#ifndef VSOCK_DEVICE_H_
#define VSOCK_DEVICE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/device_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "vsock/effects.h"
#include "vsock/packet.h"
#include "vsock/queue.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {

class Device {
 public:
  struct Options {
    Cid guest_cid;
    uint16_t ring_size = 128;
    bool event_idx = true;
    bool indirect = true;
    bool in_order = false;
    virtqueue::RingAddrs rx;
    virtqueue::RingAddrs tx;
    // Where another device stopped that served the rings before; none: they
    // are new.
    std::optional<virtqueue::DeviceState> rx_state;
    std::optional<virtqueue::DeviceState> tx_state;
    uint32_t packet_weight = 256;      // packets a turn, then the other's
    uint32_t byte_weight = 512 << 10;  // payload bytes a turn
  };

  // All arguments outlive the device. `send_list` is where `host`'s router
  // puts what goes to this guest. InvalidArgument: a context id that no guest
  // may have (5.10.4); errors of the queues.
  static absl::StatusOr<std::unique_ptr<Device>> Create(
      const virtqueue::GuestMemory& memory, const Options& options,
      Transport& host, PacketPool& pool, PacketQueue& send_list);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Available buffer notifications. True: the worker has something to do.
  bool OnTxKick() { return Enqueue(Turn::kTx); }
  bool OnRxKick() { return Enqueue(Turn::kSend); }

  // To be called after anything that may have put packets on the send list.
  // True: the worker has something to do.
  bool Submit() { return !send_list_.empty() && Enqueue(Turn::kSend); }

  // The worker: finishes the packet in hand, takes up the next. Effects::more
  // tells that there is one in hand, or a turn queued.
  Effects Step(Instant now);

  // Finishes the packet in hand and takes up none: then no chain of either ring
  // is in the device's hands, as when it is to stop.
  Effects Finish(Instant now);
  // The rings, of which nothing is in hand.
  virtqueue::DeviceState rx_state() const { return rx_.Save({}); }
  virtqueue::DeviceState tx_state() const { return tx_.Save({}); }

  // The driver resets a queue, alone (VIRTIO_F_RING_RESET, 2.6.1) or both with
  // the device (2.4). A packet in hand of that queue is as if it had not been
  // taken up, and its chain is not completed.
  void ResetQueue(Queue queue);
  // What the driver reads back.
  bool IsReset(Queue queue) const { return !Of(queue).has_ring(); }
  // The driver has set it up again, where and as it was.
  absl::Status RestartQueue(Queue queue);

  // The send list waits for an rx buffer.
  bool waits_for_ring() const { return waits_for_ring_; }

  // Chains taken from either ring so far and completed.
  uint64_t tx_completed() const { return tx_completed_; }
  uint64_t rx_completed() const { return rx_completed_; }

  bool idle() const { return turn_ == Turn::kNone && queued_[0] == turn_; }
  // Of what was lost here, want of memory included.
  uint64_t datagrams_lost_to_host() const { return datagrams_lost_to_host_; }
  uint64_t datagrams_lost_to_guest() const { return datagrams_lost_to_guest_; }

  const PacketQueue& send_list() const { return send_list_; }
  // With so many replies on it no more packets are taken up (5.10.6.1).
  uint32_t most_replies() const { return tx_.size(); }
  LossLog& losses() { return losses_; }
  // OK, or why a ring is broken. One that is reset is not.
  absl::Status status() const;
  const absl::Status& tx_status() const { return tx_.status(); }
  const absl::Status& rx_status() const { return rx_.status(); }

 private:
  enum class Turn : uint8_t {
    kNone,
    kTx,    // guest to host
    kSend,  // host to guest
  };

  // A packet whose copy is made and whose effect is not yet visible.
  struct InHand {
    Turn turn = Turn::kNone;
    PacketPtr packet;    // kTx: null if it was dropped
    uint32_t piece = 0;  // kSend: payload bytes in this rx buffer
    virtqueue::Chain chain;
  };

  Device(const virtqueue::GuestMemory& memory, const Options& options,
         Transport& host, PacketPool& pool, PacketQueue& send_list,
         virtqueue::DeviceQueue tx, virtqueue::DeviceQueue rx);

  virtqueue::DeviceQueue& Of(Queue queue) {
    return queue == Queue::kTx ? tx_ : rx_;
  }
  const virtqueue::DeviceQueue& Of(Queue queue) const {
    return queue == Queue::kTx ? tx_ : rx_;
  }

  bool Enqueue(Turn turn);
  bool StartTurn();
  void EndTurn(Turn ended, Effects& effects);
  bool WeightsUsedUp();
  void FinishInHand(Instant now, Effects& effects);
  void FinishTx(Instant now, Effects& effects);
  void FinishSend(Effects& effects);
  bool BeginTx(Effects& effects);
  bool BeginSend(Effects& effects);
  PacketPtr TakeUp(const virtqueue::Chain& chain, Effects& effects);
  bool FitIntoBuffer(Packet& packet, Effects& effects);

  const virtqueue::GuestMemory& memory_;
  const Options options_;
  Transport& host_;
  PacketPool& pool_;
  PacketQueue& send_list_;
  virtqueue::DeviceQueue tx_;
  virtqueue::DeviceQueue rx_;
  LossLog losses_;

  Turn turn_ = Turn::kNone;
  std::array<Turn, 2> queued_ = {};  // in order; each at most once
  InHand in_hand_;
  uint32_t turn_packets_ = 0;
  uint32_t turn_bytes_ = 0;
  bool waits_for_ring_ = false;
  uint64_t datagrams_lost_to_host_ = 0;
  uint64_t datagrams_lost_to_guest_ = 0;
  uint64_t tx_completed_ = 0;
  uint64_t rx_completed_ = 0;
  bool tx_stalled_ = false;  // until replies have left
  bool used_in_turn_ = false;
  bool interrupt_needed_ = false;
};

}  // namespace vsock

#endif  // VSOCK_DEVICE_H_
