#include "bench/plain_ring.h"

namespace bench {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

}  // namespace

PlainRing::PlainRing() {
  for (uint16_t i = 0; i < kSize; ++i) {
    desc_[i].next.store(static_cast<uint16_t>(i + 1), kRelaxed);
  }
}

void PlainRing::Add() {
  const uint16_t head = free_head_;
  Desc& desc = desc_[head];
  free_head_ = desc.next.load(kRelaxed);
  desc.addr.store(0x1000, kRelaxed);
  desc.len.store(64, kRelaxed);
  desc.flags.store(0, kRelaxed);
  avail_ring_[added_ % kSize].store(head, kRelaxed);
  avail_idx_.store(++added_, kRelease);
}

uint32_t PlainRing::Collect(uint32_t most) {
  uint32_t collected = 0;
  while (collected < most && used_idx_.load(kAcquire) != collected_) {
    const uint32_t head = used_ring_[collected_++ % kSize].id.load(kRelaxed);
    desc_[head].next.store(free_head_, kRelaxed);
    free_head_ = static_cast<uint16_t>(head);
    ++collected;
  }
  return collected;
}

void PlainRing::Serve(uint32_t most) {
  for (uint32_t i = 0; i < most; ++i) {
    if (avail_idx_.load(kAcquire) == used_) return;
    const uint16_t head = avail_ring_[used_ % kSize].load(kRelaxed);
    bytes_seen_ += desc_[head].len.load(kRelaxed);
    UsedElem& elem = used_ring_[used_ % kSize];
    elem.id.store(head, kRelaxed);
    elem.len.store(0, kRelaxed);
    used_idx_.store(++used_, kRelease);
  }
}

}  // namespace bench
