#include "bench/plain_ring.h"

namespace bench {
namespace {

constexpr uint16_t kNotifyMeNot = 1;  // 2.7.6, 2.7.8: the same in both flags

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kFenced = std::memory_order_seq_cst;

// Moves the index of `own` to `idx`, if that is news. True if the half whose
// part is `peer` must be notified of it.
template <typename Own, typename Peer>
bool Publish(Own& own, uint16_t idx, const Peer& peer) {
  if (own.idx.load(kRelaxed) == idx) return false;
  own.idx.store(idx, kFenced);
  return (peer.flags.load(kFenced) & kNotifyMeNot) == 0;
}

}  // namespace

template <Publishing kPublishing>
PlainRing<kPublishing>::PlainRing() {
  for (uint16_t i = 0; i < kSize; ++i) {
    desc_[i].next.store(static_cast<uint16_t>(i + 1), kRelaxed);
  }
  avail_.flags.store(kNotifyMeNot, kRelaxed);
  used_.flags.store(kNotifyMeNot, kRelaxed);
}

template <Publishing kPublishing>
void PlainRing<kPublishing>::Add() {
  const uint16_t head = free_head_;
  Desc& desc = desc_[head];
  free_head_ = desc.next.load(kRelaxed);
  desc.addr.store(0x1000, kRelaxed);
  desc.len.store(64, kRelaxed);
  desc.flags.store(0, kRelaxed);
  avail_.ring[added_ % kSize].store(head, kRelaxed);
  ++added_;
  if constexpr (kPublishing == Publishing::kEachChain) {
    avail_.idx.store(added_, kRelease);
  }
}

template <Publishing kPublishing>
void PlainRing<kPublishing>::PublishAdded() {
  if constexpr (kPublishing == Publishing::kBatchFenced) {
    if (Publish(avail_, added_, used_)) ++driver_notifications_;
  }
}

template <Publishing kPublishing>
uint32_t PlainRing<kPublishing>::Collect(uint32_t most) {
  uint32_t collected = 0;
  while (collected < most && used_.idx.load(kAcquire) != collected_) {
    const uint32_t head = used_.ring[collected_++ % kSize].id.load(kRelaxed);
    desc_[head].next.store(free_head_, kRelaxed);
    free_head_ = static_cast<uint16_t>(head);
    ++collected;
  }
  return collected;
}

template <Publishing kPublishing>
void PlainRing<kPublishing>::Serve(uint32_t most) {
  for (uint32_t i = 0; i < most; ++i) {
    if (avail_.idx.load(kAcquire) == served_) break;
    const uint16_t head = avail_.ring[served_ % kSize].load(kRelaxed);
    bytes_served_ += desc_[head].len.load(kRelaxed);
    UsedElem& elem = used_.ring[served_ % kSize];
    elem.id.store(head, kRelaxed);
    elem.len.store(0, kRelaxed);
    ++served_;
    if constexpr (kPublishing == Publishing::kEachChain) {
      used_.idx.store(served_, kRelease);
    }
  }
  if constexpr (kPublishing == Publishing::kBatchFenced) {
    if (Publish(used_, served_, avail_)) ++device_notifications_;
  }
}

template <Publishing kPublishing>
void PlainRing<kPublishing>::EnableNotifications() {
  avail_.flags.store(0, kRelaxed);
  used_.flags.store(0, kRelaxed);
}

template class PlainRing<Publishing::kEachChain>;
template class PlainRing<Publishing::kBatchFenced>;

}  // namespace bench
