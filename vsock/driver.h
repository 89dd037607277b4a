// driver.h: the guest's driver: its transport on one side, the rings on the
// other.
//
// Spec: virtio 1.3, 5.10.6 "Device Operation" and 5.10.6.1 "Virtqueue Flow
// Control". Queueing follows Linux (net/vmw_vsock/virtio_transport.c): a send
// list for all sockets, a direct path past it while it is empty, a send
// worker, reclaim by the tx interrupt, a bound on queued replies that stops
// the rx worker, rx buffers posted again below half.
// Trust: none in the device: used lengths and headers are judged here.
// Left out: the event queue.
//
// One thread at a time. The device half may be on another: the two meet only
// in the rings.

#ifndef VSOCK_DRIVER_H_
#define VSOCK_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "vsock/effects.h"
#include "vsock/packet.h"
#include "vsock/queue.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {

// What both sides must agree on to meet in the rings.
struct RingLayout {
  uint16_t size = 128;  // descriptors of either ring
  bool event_idx = true;
  bool indirect = true;
  bool in_order = false;
  virtqueue::RingAddrs rx;  // both of one format
  virtqueue::RingAddrs tx;
};

class Driver {
 public:
  struct Options {
    virtqueue::RingFormat ring_format = virtqueue::RingFormat::kSplit;
    uint16_t ring_size = 128;
    bool event_idx = true;
    bool indirect = true;
    bool in_order = false;
    uint32_t rx_buffer_bytes = 4140;  // header and payload together
  };

  // Guest memory that a driver with these options lays out, payloads of its
  // PacketPool not included.
  static uint64_t MemoryBytes(const Options& options);

  // Lays out rings and buffers in `memory` and posts every rx buffer. All
  // arguments outlive the driver. InvalidArgument: a size that no ring has, or
  // one of 1, which no packet with payload fits (2.7.5.3.1).
  static absl::StatusOr<std::unique_ptr<Driver>> Create(
      virtqueue::OwnedGuestMemory& memory, const Options& options,
      Transport& transport, PacketPool& pool, PacketQueue& send_list);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // To be called after anything that may have put packets on the send list:
  // the direct path to the ring, or work for the send worker.
  Effects Submit();

  // Send worker: moves one packet from the list to the ring.
  Effects SendStep();

  // Tx interrupt: takes back everything the device has used.
  Effects ReclaimStep();

  // Rx worker: delivers the packet in hand, takes up the next used buffer.
  Effects RxStep(Instant now);

  // Reset of a queue, alone (VIRTIO_F_RING_RESET, 2.6.1) or of both with the
  // device (2.4). First the driver stops using it, and the device is told.
  void StopQueue(Queue queue);
  // Then the queue is set up again, where and as it was, with what the device
  // has not used: no packet is lost or sent twice. FailedPrecondition if what
  // was read back does not say `is_reset`: the device may still use it, and all
  // stays as it is (2.6.1.1.2). The notifications owed are for the device that
  // has restarted the queue.
  absl::StatusOr<Effects> RestartQueue(Queue queue, bool is_reset);

  // The send list waits for a place in the tx ring.
  bool waits_for_ring() const { return waits_for_ring_; }

  // Packets put on the tx ring so far.
  uint64_t tx_added() const { return tx_added_; }

  const RingLayout& layout() const { return layout_; }
  LossLog& losses() { return losses_; }
  uint32_t tx_in_flight() const { return tx_.in_flight(); }
  // Replies that may wait on the send list: as many as a ring has descriptors
  // (5.10.6.1), and beside them those that a reset of the tx queue put back.
  uint32_t most_replies() const { return rx_.size() + replies_put_back_; }
  uint32_t rx_posted() const { return rx_.in_flight(); }
  bool idle() const { return rx_in_hand_ == nullptr && rx_taken_.empty(); }
  // OK, or why a ring is quarantined.
  absl::Status status() const;

 private:
  // A place for the header of a packet and, behind it, the bytes of a small
  // or an elided payload. The payload an elided packet claims runs on over
  // the following places: nobody reads it.
  static constexpr uint32_t kPlaceBytes = 64;
  static_assert(kHdrBytes + kStampBytes <= kPlaceBytes);

  class Places {
   public:
    Places(virtqueue::OwnedGuestMemory& memory, uint16_t count);
    static uint64_t Bytes(uint16_t count);
    virtqueue::GuestAddr address(size_t i) const {
      return base_ + i * kPlaceBytes;
    }
    std::byte* bytes(size_t i) const { return bytes_.data() + i * kPlaceBytes; }

   private:
    virtqueue::GuestAddr base_;
    absl::Span<std::byte> bytes_;
  };

  struct Made {  // a queue, and what it was made from
    virtqueue::DriverQueue::Options options;
    virtqueue::DriverQueue queue;
  };

  Driver(virtqueue::OwnedGuestMemory& memory, const Options& options,
         Transport& transport, PacketPool& pool, PacketQueue& send_list,
         const RingLayout& layout, Made tx, Made rx);

  static absl::StatusOr<Made> Make(virtqueue::OwnedGuestMemory& memory,
                                   const Options& options,
                                   const virtqueue::RingAddrs& addrs);
  Effects RestartTx();
  Effects RestartRx();

  bool AddToRing(Effects& effects);
  void DecideKick(Effects& effects);
  void Refill(Effects& effects);
  // The next packet that was received; says whether there was a used buffer. A
  // buffer without a packet that can be right gives none.
  bool TakeNext(PacketPtr& packet);
  bool Post(size_t place);
  PacketPtr TakeUp(const virtqueue::DriverQueue::Used& used);
  const std::byte* RxBytes(size_t place) const;

  const virtqueue::GuestMemory& memory_;
  const Options options_;
  Transport& transport_;
  PacketPool& pool_;
  PacketQueue& send_list_;
  const RingLayout layout_;
  LossLog losses_;

  const virtqueue::DriverQueue::Options tx_options_;
  virtqueue::DriverQueue tx_;
  bool tx_stopped_ = false;
  uint32_t replies_put_back_ = 0;
  Places tx_places_;
  std::vector<PacketPtr> in_tx_ring_;  // by place
  std::vector<uint16_t> free_places_;
  uint64_t tx_added_ = 0;
  bool added_since_kick_ = false;
  bool kick_needed_ = false;
  bool send_work_pending_ = false;  // the worker owns the send list
  bool waits_for_ring_ = false;

  const virtqueue::DriverQueue::Options rx_options_;
  virtqueue::DriverQueue rx_;
  bool rx_stopped_ = false;
  Places rx_places_;
  std::vector<std::byte*> rx_blocks_;  // by place; null while elided
  std::vector<uint16_t> unposted_;     // places without a buffer in the ring
  PacketPtr rx_in_hand_;
  PacketQueue rx_taken_;     // received before the queue was reset
  bool rx_running_ = false;  // its interrupts are off
  bool rx_stalled_ = false;  // until replies have left
  bool rx_starved_ = false;  // a buffer could not be posted for want of memory
};

}  // namespace vsock

#endif  // VSOCK_DRIVER_H_
