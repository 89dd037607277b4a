#include "sim/peers/reassembly.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim {

using vsock::Instant;

Reassembly::Result Reassembly::Add(const ParsedFrame& frame,
                                   absl::Span<const std::byte> kept,
                                   uint32_t charge, Instant now) {
  ExpireBy(now);
  const Key key = {frame.source_ip, frame.destination_ip, frame.id};
  Queue* queue = FindOrBegin(key, now);
  if (queue == nullptr) return {.verdict = Verdict::kNoMemory, .payload = {}};
  const Verdict verdict = Insert(*queue, frame.fragment, kept);
  if (verdict == Verdict::kSpoiled) GiveUp(key);
  if (verdict != Verdict::kKept) return {.verdict = verdict, .payload = {}};
  queue->charge += charge;
  memory_ += charge;
  if (queue->bytes != queue->total) {
    return {.verdict = Verdict::kKept, .payload = {}};
  }
  Result result = {.verdict = Verdict::kComplete,
                   .payload = PutTogether(*queue)};
  memory_ -= queue->charge;
  queues_.erase(key);
  return result;
}

void Reassembly::ExpireBy(Instant now) {
  while (!deadlines_.empty() && deadlines_.front().at <= now) {
    const Deadline due = deadlines_.front();
    deadlines_.pop_front();
    const auto found = queues_.find(due.key);
    if (found != queues_.end() && found->second.number == due.number) {
      GiveUp(due.key);
    }
  }
}

void Reassembly::GiveUp(const Key& key) {
  const auto found = queues_.find(key);
  memory_ -= found->second.charge;
  queues_.erase(found);
  ++given_up_;
}

// Null above the memory threshold.
Reassembly::Queue* Reassembly::FindOrBegin(const Key& key, Instant now) {
  ++seen_;
  const auto found = queues_.find(key);
  if (found != queues_.end()) {
    Queue& queue = found->second;
    const uint64_t last = std::exchange(queue.last_seen, seen_);
    if (seen_ - last <= kMaxDistance) return &queue;
    GiveUp(key);
  }
  if (memory_ > kHighThreshold) return nullptr;
  deadlines_.push_back({now + kTimeout, key, ++begun_});
  Queue& queue = queues_[key];
  queue.number = begun_;
  queue.last_seen = seen_;
  return &queue;
}

Reassembly::Verdict Reassembly::Insert(Queue& queue, const Fragment& fragment,
                                       absl::Span<const std::byte> kept) const {
  const uint32_t end = fragment.offset + fragment.bytes;
  const auto at = std::lower_bound(queue.pieces.begin(), queue.pieces.end(),
                                   fragment.offset,
                                   [](const Piece& piece, uint32_t offset) {
                                     return piece.offset < offset;
                                   });
  if (at != queue.pieces.end() && at->offset == fragment.offset &&
      at->bytes == fragment.bytes) {
    return Verdict::kDuplicate;
  }
  const bool overlaps =
      (at != queue.pieces.end() && at->offset < end) ||
      (at != queue.pieces.begin() &&
       std::prev(at)->offset + std::prev(at)->bytes > fragment.offset);
  const bool beyond_end = queue.total.has_value() && end > *queue.total;
  const bool second_end =
      !fragment.more && (queue.total.has_value() || at != queue.pieces.end());
  if (overlaps || beyond_end || second_end) return Verdict::kSpoiled;
  if (!fragment.more) queue.total = end;
  queue.bytes += fragment.bytes;
  queue.pieces.insert(
      at, {fragment.offset, fragment.bytes, {kept.begin(), kept.end()}});
  return Verdict::kKept;
}

IpPayload Reassembly::PutTogether(const Queue& queue) const {
  IpPayload payload = {.bytes = *queue.total, .charge = queue.charge};
  payload.kept.resize(std::min(*queue.total, most_kept_));
  for (const Piece& piece : queue.pieces) {
    if (piece.offset >= payload.kept.size()) continue;
    std::memcpy(payload.kept.data() + piece.offset, piece.kept.data(),
                std::min<size_t>(piece.kept.size(),
                                 payload.kept.size() - piece.offset));
  }
  return payload;
}

}  // namespace sim
