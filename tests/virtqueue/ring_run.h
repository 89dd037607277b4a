// ring_run.h: both halves of a ring, driven by numbers; what they said is kept,
// and either half may be saved and made anew from its state at any point.

#ifndef TESTS_VIRTQUEUE_RING_RUN_H_
#define TESTS_VIRTQUEUE_RING_RUN_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

class RingRun {
 public:
  struct Ring {
    std::string name;
    virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
    uint16_t size = 1;
    bool event_idx = false;
    uint16_t indirect_table_entries = 0;  // 0: not negotiated
    bool in_order = false;

    friend std::ostream& operator<<(std::ostream& out, const Ring& ring) {
      return out << ring.name;
    }
  };

  explicit RingRun(const Ring& ring);

  // One call of either half, by the number; what it said is in said().
  void Step(uint64_t number);
  const std::vector<uint64_t>& said() const { return said_; }

  // Ring, tables and buffers.
  absl::Span<const std::byte> bytes() const;
  uint64_t collected() const { return collected_; }

  virtqueue::DriverState SaveDriver() const { return driver_.Save(); }
  virtqueue::DeviceState SaveDevice() const;
  // The half, and what it holds, made anew from its own state.
  void RestoreDriver();
  void RestoreDevice();
  // Both halves made anew in memory that is a copy of the other's.
  void RestoreFrom(const RingRun& other);
  // The half made anew from any state; what Restore said.
  absl::Status Restore(const virtqueue::DriverState& state);
  absl::Status Restore(const virtqueue::DeviceState& state);

 private:
  static constexpr uint32_t kBufferBytes = 4096;
  using Buffers = std::vector<virtqueue::DriverQueue::Buffer>;

  void Note(uint64_t said) { said_.push_back(said); }
  void NoteAll(const std::vector<virtqueue::ChainState::Piece>& pieces);
  Buffers BuffersOf(uint64_t number, uint32_t most) const;
  void Add(uint64_t number);
  void Pop();
  void Push(uint64_t number);
  void Collect();
  void Suppress(uint64_t number);

  const Ring ring_;
  virtqueue::OwnedGuestMemory memory_;
  const virtqueue::GuestAddr base_;  // of all that follows
  const virtqueue::RingAddrs addrs_;
  const virtqueue::DriverQueue::Options options_;
  const virtqueue::GuestAddr buffers_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;
  std::deque<virtqueue::Chain> held_;
  std::vector<uint64_t> said_;
  uint64_t collected_ = 0;
};

#endif  // TESTS_VIRTQUEUE_RING_RUN_H_
