#include "virtqueue/completion_order.h"

#include "virtqueue/check.h"

namespace virtqueue {

uint16_t CompletionOrder::Enter() {
  VSOCK_CHECK(entered_ < places_.size());
  const uint16_t turn = next_;
  next_ = After(turn);
  ++entered_;
  return turn;
}

void CompletionOrder::Complete(uint16_t turn, const Completed& completed) {
  VSOCK_CHECK(turn < places_.size());
  Place& place = places_[turn];
  VSOCK_CHECK(!place.done);
  place = {.done = true, .completed = completed};
  ++completed_;
}

std::optional<CompletionOrder::Batch> CompletionOrder::TakeBatch() {
  Batch batch;
  bool whole = true;
  while (whole && entered_ != 0 && places_[oldest_].done) {
    Place& place = places_[oldest_];
    place.done = false;
    oldest_ = After(oldest_);
    --entered_;
    --completed_;
    batch.id = place.completed.id;
    batch.written = place.completed.written;
    batch.slots += place.completed.slots;
    ++batch.chains;
    whole = place.completed.whole;
  }
  if (batch.chains == 0) return std::nullopt;
  return batch;
}

std::vector<CompletionOrder::Waiting> CompletionOrder::Save() const {
  std::vector<Waiting> waiting;
  uint16_t turn = oldest_;
  for (uint32_t i = 0; i < entered_; ++i) {
    const Place& place = places_[turn];
    if (place.done) {
      waiting.push_back({.turn = turn, .completed = place.completed});
    }
    turn = After(turn);
  }
  return waiting;
}

void CompletionOrder::SetTo(uint16_t oldest, uint16_t chains,
                            const std::vector<Waiting>& waiting) {
  oldest_ = oldest;
  next_ = oldest;
  for (uint16_t i = 0; i < chains; ++i) Enter();
  for (const Waiting& one : waiting) Complete(one.turn, one.completed);
}

}  // namespace virtqueue
