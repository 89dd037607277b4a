// ring_oracle.h: both halves of a ring, and beside them what the specification
// says they have to do, kept in lists.
//
// The oracle knows nothing of descriptor tables, indices or caches: a chain is
// in one of the lists added, available, held, put back, pushed, used. Whether a
// notification is due is found by walking the entries of a split ring, or the
// slots of a packed one, one by one (2.7.7.2, 2.8.10). What a packed ring has
// to look like in memory says packed_mirror.h, and what a split ring has to
// look like with VIRTIO_F_IN_ORDER, split_mirror.h.

#ifndef TESTS_VIRTQUEUE_RING_ORACLE_H_
#define TESTS_VIRTQUEUE_RING_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/virtqueue/heap_memory.h"
#include "tests/virtqueue/packed_mirror.h"
#include "tests/virtqueue/split_mirror.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

class RingOracle {
 public:
  struct Ring {
    virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
    uint16_t size = 1;
    bool event_idx = false;
    uint16_t indirect_table_entries = 0;  // 0: not negotiated
    bool in_order = false;
  };
  struct Shape {  // lengths of the buffers of a chain
    std::vector<uint32_t> readable;
    std::vector<uint32_t> writable;
  };

  // Chains have at most `chain_bytes`.
  RingOracle(const Ring& ring, uint32_t chain_bytes);

  // Each does one thing to the queues and to the lists, and compares.
  void Add(const Shape& shape);
  void PublishAdded();
  void Pop();
  void PushOldest() { Push(0); }
  void PushNewest() { Push(held_.size() - 1); }
  void PutBackNewest();
  void PublishUsed();
  void Collect();
  void DriverEnable();
  void DriverEnableDelayed();
  void DriverDisable();
  void DeviceEnable();
  void DeviceDisable();

  // All chains go home, and both halves ask to be notified.
  void Drain();

  uint64_t collected() const { return collected_; }
  // What differed first; empty if nothing did.
  const std::string& difference() const { return difference_; }

 private:
  struct Model {  // of a chain
    uint64_t token = 0;
    Shape shape;
    uint32_t slot = 0;  // where its bytes are
    uint32_t ring_descriptors = 0;
    uint32_t written = 0;
  };
  struct Held {
    Model model;
    virtqueue::Chain chain;
  };
  struct Wish {  // of a half, to be notified
    bool wanted = true;
    bool of_any = false;  // packed: whatever the peer does
    uint64_t event = 0;   // of the entry or slot of this number
  };
  using Buffers = std::vector<virtqueue::DriverQueue::Buffer>;

  bool packed() const { return ring_.format == virtqueue::RingFormat::kPacked; }
  // What a chain moves the halves on by: entries, or slots.
  uint64_t Moves(const Model& model) const {
    return packed() ? model.ring_descriptors : 1;
  }
  Wish NoWish(uint64_t next) const;
  void Push(size_t which);
  // Takes out of pushed_ what is to be used now, in that order.
  std::deque<Model> TakeReady();
  void MirrorAdded();
  void MirrorUsed(const std::deque<Model>& ready);
  void MirrorBatch(const std::deque<Model>& batch);
  uint32_t MirrorDiffers() const;
  // Whether moving from `before` to `after` entries has to be notified.
  bool MustNotify(const Wish& wish, uint64_t before, uint64_t after) const;
  Buffers Place(const std::vector<uint32_t>& lens, uint64_t at) const;
  uint64_t SlotAt(uint32_t slot) const;
  void Write(uint64_t at, absl::Span<const std::byte> bytes) const;
  std::vector<std::byte> Read(uint64_t at, uint32_t len) const;
  void CheckPopped(const Held& held);
  void CheckCounts();
  void Same(uint64_t actual, uint64_t expected, absl::string_view what);

  const Ring ring_;
  const uint32_t chain_bytes_;
  const HeapMemory heap_;
  const virtqueue::RingAddrs addrs_;
  virtqueue::DriverQueue driver_;
  virtqueue::DeviceQueue device_;

  std::set<uint32_t> free_slots_;
  uint32_t free_descriptors_;
  std::deque<Model> added_;
  std::deque<Model> available_;
  std::deque<Held> held_;
  std::vector<Model> put_back_;
  std::deque<Model> pushed_;
  std::deque<Model> used_;
  Wish driver_wish_;
  Wish device_wish_;
  uint64_t next_token_ = 0;
  uint64_t collected_ = 0;
  // How far either half has come, in entries or slots.
  uint64_t available_at_ = 0;
  uint64_t popped_at_ = 0;
  uint64_t used_at_ = 0;
  uint64_t collected_at_ = 0;
  uint64_t next_turn_ = 0;  // token of the chain to be used next, in order
  std::optional<PackedMirror> mirror_;       // of a packed ring
  std::optional<SplitMirror> split_mirror_;  // of a split one, in order
  virtqueue::Chain spare_;
  std::string difference_;
};

#endif  // TESTS_VIRTQUEUE_RING_ORACLE_H_
