#include "sim/peers/datagram_ledger.h"

#include <algorithm>

#include "virtqueue/check.h"

namespace sim {

std::optional<uint16_t> DatagramLedger::Begin(vsock::Port source,
                                              uint32_t bytes, uint32_t frames) {
  if (under_way_.size() > UINT16_MAX) return std::nullopt;
  while (under_way_.contains(next_id_)) ++next_id_;
  under_way_[next_id_] = {.source = source, .bytes = bytes, .frames = frames};
  ++counters_.sent;
  return next_id_++;
}

std::optional<DatagramLedger::Loss> DatagramLedger::OnDropped(uint16_t id) {
  const auto found = under_way_.find(id);
  VSOCK_CHECK(found != under_way_.end());
  const std::optional<Loss> loss = Lose(found->second);
  EndFrame(id, found->second);
  return loss;
}

std::optional<DatagramLedger::Loss> DatagramLedger::OnArrived(uint16_t id,
                                                              bool queued) {
  const auto found = under_way_.find(id);
  VSOCK_CHECK(found != under_way_.end());
  Entry& entry = found->second;
  std::optional<Loss> loss;
  if (queued) {
    VSOCK_CHECK(!entry.settled);
    entry.settled = true;
    ++counters_.queued;
  } else if (entry.frames == 1) {
    loss = Lose(entry);
  }
  EndFrame(id, entry);
  return loss;
}

std::optional<DatagramLedger::Loss> DatagramLedger::Lose(Entry& entry) {
  if (entry.settled) return std::nullopt;
  entry.settled = true;
  ++counters_.lost;
  return Loss{entry.source, entry.bytes};
}

void DatagramLedger::EndFrame(uint16_t id, Entry& entry) {
  if (--entry.frames == 0) under_way_.erase(id);
}

uint64_t DatagramLedger::live() const {
  return static_cast<uint64_t>(
      std::count_if(under_way_.begin(), under_way_.end(),
                    [](const auto& item) { return !item.second.settled; }));
}

}  // namespace sim
