#include "tests/explorer/explorer.h"

#include <algorithm>
#include <utility>

namespace virtqueue {
namespace {

absl::uint128 HashOf(const std::vector<uint64_t>& key) {
  constexpr absl::uint128 kFactor =
      absl::MakeUint128(0x9e3779b97f4a7c15, 0xf39cc0605cedc835);
  absl::uint128 hash = key.size();
  for (const uint64_t number : key) {
    hash = (hash ^ number) * kFactor;
    hash ^= hash >> 61;
  }
  return hash;
}

}  // namespace

Explorer::Explorer(RingPair& pair, uint64_t most_states)
    : pair_(pair), most_states_(most_states) {}

Explorer::Result Explorer::Run() {
  records_.push_back({});
  next_.push_back({pair_.Begin(), 1, 0});
  while (!next_.empty() && !ended_) {
    layer_ = std::move(next_);
    next_.clear();
    in_next_.clear();
    result_.states += layer_.size();
    for (size_t i = 0; i < layer_.size() && !ended_; ++i) {
      Expand(layer_[i]);
    }
    if (!ended_ && result_.states > most_states_) End(Outcome::kUndecided, 0);
    if (!next_.empty()) ++result_.longest;
  }
  return result_;
}

void Explorer::Expand(const Reached& from) {
  if (HasFault(from.state)) return End(Outcome::kFault, from.record);
  const auto steps = pair_.Steps(from.state);
  for (const RingPair::Step step : steps) Reach(from, step);
  if (steps.empty()) {
    result_.schedules += from.schedules;
    const Act& driver = pair_.Next(from.state, HalfName::kDriver);
    if (driver.kind != ActKind::kDone) End(Outcome::kLost, from.record);
  }
  if (from.state.spurious != pair_.stage().scene().spurious) WakeUp(from);
}

void Explorer::WakeUp(const Reached& from) {
  for (const HalfName half : {HalfName::kDriver, HalfName::kDevice}) {
    if (pair_.Next(from.state, half).kind != ActKind::kSleep) continue;
    Reach(from, {.half = half, .spurious = true});
  }
}

bool Explorer::HasFault(const RingPair::State& state) const {
  return pair_.Next(state, HalfName::kDriver).kind == ActKind::kFault ||
         pair_.Next(state, HalfName::kDevice).kind == ActKind::kFault;
}

void Explorer::Reach(const Reached& from, RingPair::Step step) {
  ++result_.steps;
  RingPair::State state = pair_.Take(from.state, step);
  const auto [found, is_new] = in_next_.try_emplace(KeyOf(state), next_.size());
  if (!is_new) {
    next_[found->second].schedules += from.schedules;
    return;
  }
  const auto record = static_cast<uint32_t>(records_.size());
  records_.push_back({from.record, step});
  next_.push_back({std::move(state), from.schedules, record});
}

absl::uint128 Explorer::KeyOf(const RingPair::State& state) {
  // Who is notified acquires the stores of the other half.
  const auto [by_device, by_driver] = state.notified;
  numbers_ = {state.node[0] | uint64_t{state.node[1]} << 32,
              state.spurious | uint64_t{by_device != 0} << 8 |
                  uint64_t{by_driver != 0} << 9};
  state.memory.AppendTo(numbers_, {by_driver != 0 ? by_driver - 1 : 0,
                                   by_device != 0 ? by_device - 1 : 0});
  return HashOf(numbers_);
}

void Explorer::End(Outcome outcome, uint32_t record) {
  ended_ = true;
  result_.outcome = outcome;
  for (; record != 0; record = records_[record].parent) {
    result_.schedule.push_back(records_[record].step);
  }
  std::reverse(result_.schedule.begin(), result_.schedule.end());
}

}  // namespace virtqueue
