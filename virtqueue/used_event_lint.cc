#include "virtqueue/used_event_lint.h"

namespace virtqueue {

absl::StatusOr<UsedEventLint> UsedEventLint::Create(const GuestMemory& memory,
                                                    const SplitRingAddrs& addrs,
                                                    uint32_t size) {
  const absl::StatusOr<SplitRing> ring = SplitRing::Map(memory, addrs, size);
  if (!ring.ok()) return ring.status();
  return UsedEventLint(*ring);
}

UsedEventLint::UsedEventLint(const SplitRing& ring)
    : used_event_(ring.used_event),
      used_idx_(ring.used_idx),
      last_idx_(ring.used_idx->Load()) {}

void UsedEventLint::Look() {
  const uint16_t idx = used_idx_->Load();
  used_ += static_cast<uint16_t>(idx - last_idx_);
  last_idx_ = idx;
  written_ |= used_event_->Load() != 0;
}

}  // namespace virtqueue
