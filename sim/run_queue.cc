#include "sim/run_queue.h"

#include <algorithm>
#include <utility>

#include "virtqueue/check.h"

namespace sim {

void RunQueue::Push(const Entry& entry) {
  if (size_ == ring_.size()) Grow();
  VSOCK_CHECK(empty() || entry.since >= At(size_ - 1).since);
  const bool equal = !empty() && entry.since == At(size_ - 1).since;
  equals_ = equal ? std::min(equals_, size_) + 1 : 1;
  Slot(size_++) = entry;
}

void RunQueue::PushAmongEquals(const Entry& entry, Random& order) {
  Push(entry);
  // Fisher and Yates, one arrival at a time: what is random stays random.
  const auto back = order.Uniform(0, static_cast<int64_t>(equals_) - 1);
  std::swap(Slot(size_ - 1).task,
            Slot(size_ - 1 - static_cast<size_t>(back)).task);
}

RunQueue::Entry RunQueue::Pop() {
  VSOCK_CHECK(!empty());
  const Entry entry = front();
  head_ = (head_ + 1) & (ring_.size() - 1);
  --size_;
  return entry;
}

void RunQueue::Grow() {
  std::vector<Entry> bigger(2 * ring_.size());
  for (size_t i = 0; i < size_; ++i) bigger[i] = At(i);
  ring_ = std::move(bigger);
  head_ = 0;
}

}  // namespace sim
