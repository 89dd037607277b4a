#include "vsock/packet.h"

#include <bit>

#include "virtqueue/check.h"

namespace vsock {

PayloadArena PayloadArena::In(virtqueue::OwnedGuestMemory& memory,
                              uint64_t bytes) {
  VSOCK_CHECK(bytes <= 0xffffffff);
  const virtqueue::GuestAddr base = memory.Allocate(bytes, kAlignment);
  return PayloadArena(
      memory.memory().TrySlice(base, static_cast<uint32_t>(bytes)), base);
}

std::byte* PayloadArena::Allocate(uint32_t bytes) {
  const uint32_t size = std::bit_ceil(bytes);
  std::vector<std::byte*>& free = free_[std::countr_zero(size)];
  if (!free.empty()) {
    std::byte* block = free.back();
    free.pop_back();
    return block;
  }
  if (region_.size() - used_ < size) return nullptr;
  std::byte* block = region_.data() + used_;
  used_ += size;
  return block;
}

void PayloadArena::Free(std::byte* block, uint32_t bytes) {
  free_[std::countr_zero(std::bit_ceil(bytes))].push_back(block);
}

PacketPool::~PacketPool() {
  VSOCK_CHECK(live_ == 0);  // else a packet would outlive its memory
}

void PacketPool::Grow() {
  chunks_.push_back(std::make_unique<Packet[]>(kChunk));
  for (size_t i = 0; i < kChunk; ++i) {
    chunks_.back()[i].next = free_;
    free_ = &chunks_.back()[i];
  }
}

PacketPtr PacketPool::Blank(uint32_t len, uint32_t capacity) {
  if (free_ == nullptr) Grow();
  Packet* packet = std::exchange(free_, free_->next);
  packet->hdr = VsockHdr{};
  packet->hdr.len = len;
  packet->offset = packet->charge = 0;
  packet->capacity = capacity;
  packet->owner = SocketId();
  packet->is_reply = false;
  packet->data = packet->small.data();
  packet->block = nullptr;
  packet->next = nullptr;
  packet->pool = this;
  ++live_;
  return PacketPtr(packet);
}

PacketPtr PacketPool::Allocate(uint32_t len, uint32_t capacity) {
  VSOCK_CHECK(len <= capacity);
  const uint32_t kept = Kept(capacity);
  if (kept <= kStampBytes) return Blank(len, capacity);
  std::byte* block = arena_ == nullptr ? nullptr : arena_->Allocate(kept);
  if (block == nullptr) return nullptr;
  PacketPtr packet = Blank(len, capacity);
  packet->data = packet->block = block;
  packet->block_bytes = kept;
  return packet;
}

PacketPtr PacketPool::Adopt(std::byte* block, uint32_t block_bytes,
                            uint32_t headroom) {
  PacketPtr packet = Blank(0, block_bytes - headroom);
  packet->data = block + headroom;
  packet->block = block;
  packet->block_bytes = block_bytes;
  return packet;
}

PacketQueue& PacketQueue::operator=(PacketQueue&& other) noexcept {
  Clear();
  head_ = std::exchange(other.head_, nullptr);
  tail_ = std::exchange(other.tail_, nullptr);
  last_reply_ = std::exchange(other.last_reply_, nullptr);
  size_ = std::exchange(other.size_, 0);
  replies_ = std::exchange(other.replies_, 0);
  taken_ = std::exchange(other.taken_, 0);
  return *this;
}

void PacketQueue::PushReply(PacketPtr packet) {
  Packet* raw = packet.release();
  Packet*& link = last_reply_ == nullptr ? head_ : last_reply_->next;
  raw->next = std::exchange(link, raw);
  if (raw->next == nullptr) tail_ = raw;
  last_reply_ = raw;
  ++size_;
  ++replies_;
}

void PacketQueue::PushFront(PacketPtr packet) {
  Packet* raw = packet.release();
  raw->next = head_;
  if (head_ == nullptr) tail_ = raw;
  head_ = raw;
  --taken_;
  ++size_;
  if (!raw->is_reply) return;
  ++replies_;
  if (last_reply_ == nullptr) last_reply_ = raw;
}

void PacketQueue::Clear() {
  while (!empty()) PopFront();
}

}  // namespace vsock
