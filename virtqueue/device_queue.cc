#include "virtqueue/device_queue.h"

#include <limits>

#include "virtqueue/check.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMaxChainBytes = uint64_t{1} << 32;  // 2.7.5.2

}  // namespace

absl::StatusOr<DeviceQueue> DeviceQueue::Create(const GuestMemory& memory,
                                                const SplitRingAddrs& addrs,
                                                const Options& options) {
  absl::StatusOr<SplitRing> ring = SplitRing::Map(memory, addrs, options.size);
  if (!ring.ok()) return ring.status();
  return DeviceQueue(memory, *ring, options);
}

DeviceQueue::DeviceQueue(const GuestMemory& memory, const SplitRing& ring,
                         const Options& options)
    : ring_(ring),
      notification_(Notification::OfDevice(ring, options.event_idx)),
      memory_(memory),
      has_(options.size),
      mask_(static_cast<uint16_t>(options.size - 1)),
      indirect_(options.indirect) {}

DeviceQueue::PopResult DeviceQueue::Pop(Chain& chain) {
  VSOCK_CHECK(!chain.pending_);
  if (next_avail_ == avail_idx_ && !RefreshAvailable()) {
    return status_.ok() ? PopResult::kEmpty : PopResult::kBroken;
  }
  chain.readable_.clear();
  chain.writable_.clear();
  chain.readable_bytes_ = 0;
  chain.writable_bytes_ = 0;
  chain.descriptors_ = 0;
  chain.head_ = ring_.avail_ring[next_avail_ & mask_].Load();
  if (!Walk(chain)) return PopResult::kBroken;
  has_[chain.head_] = true;
  ++in_flight_;
  chain.position_ = next_avail_++;
  chain.pending_ = true;
  return PopResult::kChain;
}

void DeviceQueue::Push(Chain& chain, uint32_t written) {
  VSOCK_CHECK(chain.pending_ && has_[chain.head_]);
  VSOCK_CHECK(written <= chain.writable_bytes_);
  chain.pending_ = false;
  has_[chain.head_] = false;
  --in_flight_;
  if (!status_.ok()) return;
  SharedUsedElem& elem = ring_.used_ring[next_used_++ & mask_];
  elem.id.Store(chain.head_);
  elem.len.Store(written);
}

void DeviceQueue::UnPop(Chain& chain) {
  VSOCK_CHECK(chain.pending_ && has_[chain.head_]);
  VSOCK_CHECK(static_cast<uint16_t>(chain.position_ + 1) == next_avail_);
  chain.pending_ = false;
  has_[chain.head_] = false;
  --in_flight_;
  if (status_.ok()) --next_avail_;
}

bool DeviceQueue::Publish() {
  if (next_used_ == used_idx_ || !status_.ok()) return false;
  const uint16_t old_idx = used_idx_;
  used_idx_ = next_used_;
  ring_.used->idx.Store(used_idx_, std::memory_order_seq_cst);
  return notification_.PeerMustBeNotified(used_idx_, old_idx);
}

bool DeviceQueue::EnableNotifications() {
  notification_.Enable(next_avail_);
  return HasAvailable();
}

void DeviceQueue::DisableNotifications() { notification_.Disable(next_avail_); }

bool DeviceQueue::HasAvailable() const {
  if (!status_.ok()) return false;
  return ring_.avail->idx.Load(std::memory_order_seq_cst) != next_avail_;
}

bool DeviceQueue::RefreshAvailable() {
  if (!status_.ok()) return false;
  avail_idx_ = ring_.avail->idx.Load(std::memory_order_acquire);
  if (static_cast<uint16_t>(avail_idx_ - used_idx_) > size()) {
    return Break("2.7.13: available idx is ahead by more than the queue size");
  }
  return avail_idx_ != next_avail_;
}

bool DeviceQueue::Walk(Chain& chain) {
  uint16_t index = chain.head_;
  if (index > mask_) return Break("2.7.6: head is no descriptor of the table");
  if (has_[index]) return Break("2.7.13.1: head is still with the device");
  for (;;) {
    const Descriptor desc = ring_.desc[index].Load();
    if ((desc.flags & kDescIndirect) != 0) return WalkIndirect(desc, chain);
    if (!Append(desc, chain)) return false;
    if ((desc.flags & kDescNext) == 0) return true;
    if (desc.next > mask_) {
      return Break("2.7.5: next is no descriptor of the table");
    }
    index = desc.next;
  }
}

bool DeviceQueue::WalkIndirect(const Descriptor& refers, Chain& chain) {
  if (!indirect_) return Break("2.7.5.3.1: INDIRECT was not negotiated");
  if ((refers.flags & kDescNext) != 0) {
    return Break("2.7.5.3.1: INDIRECT together with NEXT");
  }
  if (refers.len == 0 || refers.len % kDescriptorBytes != 0) {
    return Break("2.7.5.3: indirect table is not of whole descriptors");
  }
  const absl::Span<const std::byte> table =
      memory_.TrySlice(GuestAddr(refers.addr), refers.len);
  if (table.data() == nullptr) {
    return Break("2.7.5.3: indirect table is outside of memory");
  }
  const uint32_t entries = refers.len / kDescriptorBytes;
  uint32_t index = 0;
  for (;;) {
    const Descriptor desc = LoadIndirect(table, index);
    if ((desc.flags & kDescIndirect) != 0) {
      return Break("2.7.5.3.1: INDIRECT within an indirect table");
    }
    if (!Append(desc, chain)) return false;
    if ((desc.flags & kDescNext) == 0) return true;
    if (desc.next >= entries) {
      return Break("2.7.5.3: next is no descriptor of the indirect table");
    }
    index = desc.next;
  }
}

bool DeviceQueue::Append(const Descriptor& desc, Chain& chain) {
  if (++chain.descriptors_ > size()) {
    return Break("2.7.5.3.1: chain is longer than the queue size");
  }
  if ((desc.flags & kDescWrite) != 0) {
    chain.writable_bytes_ += desc.len;
  } else if (!chain.writable_.empty()) {
    return Break("2.7.4.2: readable descriptor after a writable one");
  } else {
    chain.readable_bytes_ += desc.len;
  }
  if (chain.readable_bytes_ + chain.writable_bytes_ > kMaxChainBytes) {
    return Break("2.7.5.2: chain of more than 2^32 bytes");
  }
  return AppendPieces(desc, chain);
}

bool DeviceQueue::AppendPieces(const Descriptor& desc, Chain& chain) {
  GuestAddr at(desc.addr);
  uint32_t left = desc.len;
  while (left != 0) {
    const absl::Span<std::byte> piece = memory_.Prefix(at, left);
    if (piece.empty()) return Break("2.7.5: buffer is outside of memory");
    if ((desc.flags & kDescWrite) != 0) {
      chain.writable_.push_back(piece);
    } else {
      chain.readable_.push_back(piece);
    }
    at = at + piece.size();
    left -= static_cast<uint32_t>(piece.size());
  }
  return true;
}

bool DeviceQueue::Break(const char* why) {
  status_ = absl::DataLossError(why);
  avail_idx_ = next_avail_;
  return false;
}

}  // namespace virtqueue
