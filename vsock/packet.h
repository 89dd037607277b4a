// packet.h: one packet between a socket and a ring, and where it lives.
//
// A packet is a header and a payload. In long simulated runs the payload is
// *elided*: only its first kStampBytes are kept (a message's stamp: enough to
// tell messages apart), while every length, charge and ledger entry counts all
// of it. Both modes are the same code: they differ in KeptBytes alone.
//
// Ownership: a PacketPool owns the memory of its packets; a PacketPtr gives its
// packet back. Payload blocks of a guest lie in guest memory, so that a ring
// can name them.

#ifndef VSOCK_PACKET_H_
#define VSOCK_PACKET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace vsock {

using SocketId = Id<struct SocketTag, uint64_t>;  // 0 names no socket

enum class PayloadMode { kReal, kElided };

inline constexpr uint32_t kStampBytes = 16;

// The payload bytes that are really held and copied.
constexpr uint32_t KeptBytes(PayloadMode mode, uint32_t len) {
  return mode == PayloadMode::kReal || len < kStampBytes ? len : kStampBytes;
}

class PacketPool;

struct Packet {
  VsockHdr hdr;                // hdr.len: payload bytes, elided or not
  uint32_t offset = 0;         // payload bytes already taken from the front
  uint32_t charge = 0;         // against the owner's send or receive buffer
  uint32_t capacity = 0;       // payload bytes the socket buffer has room for
  SocketId owner;              // whose send buffer is charged, if any
  bool is_reply = false;       // of no open connection: RST, RESPONSE
  std::byte* data = nullptr;   // kept bytes of the payload
  std::byte* block = nullptr;  // from the arena, if data lies in one
  uint32_t block_bytes = 0;
  Packet* next = nullptr;  // in a PacketQueue
  PacketPool* pool = nullptr;
  std::array<std::byte, kStampBytes> small;  // data of a small payload

  uint32_t remaining() const { return hdr.len - offset; }
};

struct PacketDeleter {
  void operator()(Packet* packet) const;
};
using PacketPtr = std::unique_ptr<Packet, PacketDeleter>;

// Payload blocks in power-of-two sizes, carved from one region and reused.
// Neither grows nor moves: an address stays good until it is freed.
class PayloadArena {
 public:
  // `base` is the guest-physical address of region.begin(), if it has one.
  PayloadArena(absl::Span<std::byte> region, virtqueue::GuestAddr base)
      : region_(region), base_(base) {}
  PayloadArena(PayloadArena&&) = default;

  // The next `bytes` (below 4 GiB) that `memory` has to give.
  static PayloadArena In(virtqueue::OwnedGuestMemory& memory, uint64_t bytes);

  // Null when the region is used up.
  std::byte* Allocate(uint32_t bytes);
  void Free(std::byte* block, uint32_t bytes);

  virtqueue::GuestAddr AddressOf(const std::byte* block) const {
    return virtqueue::GuestAddr(base_.value() +
                                static_cast<uint64_t>(block - region_.data()));
  }

 private:
  static constexpr int kSizeClasses = 18;  // 1 byte to 128 KiB
  static constexpr uint64_t kAlignment = 64;

  absl::Span<std::byte> region_;
  virtqueue::GuestAddr base_;
  size_t used_ = 0;
  std::array<std::vector<std::byte*>, kSizeClasses> free_;
};

class PacketPool {
 public:
  // `arena` holds the payloads above kStampBytes; elided payloads need none.
  PacketPool(PayloadMode mode, PayloadArena* arena)
      : mode_(mode), arena_(arena) {}
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  // A packet of `len` payload bytes with room for `capacity` >= len, and a
  // zeroed header but for hdr.len. Null when the arena is used up.
  PacketPtr Allocate(uint32_t len, uint32_t capacity);
  PacketPtr Allocate(uint32_t len) { return Allocate(len, len); }

  // A packet that takes over `block` of the arena; its payload starts
  // `headroom` bytes in.
  PacketPtr Adopt(std::byte* block, uint32_t block_bytes, uint32_t headroom);

  uint32_t Kept(uint32_t len) const { return KeptBytes(mode_, len); }
  PayloadMode mode() const { return mode_; }
  PayloadArena* arena() const { return arena_; }
  uint64_t live() const { return live_; }  // packets not given back

 private:
  friend struct PacketDeleter;
  static constexpr size_t kChunk = 256;

  PacketPtr Blank(uint32_t len, uint32_t capacity);
  void Grow();
  void Free(Packet* packet);

  PayloadMode mode_;
  PayloadArena* arena_;
  std::vector<std::unique_ptr<Packet[]>> chunks_;
  Packet* free_ = nullptr;
  uint64_t live_ = 0;
};

inline void PacketPool::Free(Packet* packet) {
  if (packet->block != nullptr) {
    arena_->Free(packet->block, packet->block_bytes);
  }
  packet->next = std::exchange(free_, packet);
  --live_;
}

inline void PacketDeleter::operator()(Packet* packet) const {
  packet->pool->Free(packet);
}

// First in, first out, but for replies; owns what it holds.
//
// A reply goes before everything that is not one: the peer of a queue full of
// requests must not have to take them all before it hears an answer, or two
// such peers wait for each other for good (5.10.6.1).
class PacketQueue {
 public:
  PacketQueue() = default;
  ~PacketQueue() { Clear(); }
  PacketQueue(PacketQueue&& other) noexcept { *this = std::move(other); }
  PacketQueue& operator=(PacketQueue&& other) noexcept;

  bool empty() const { return head_ == nullptr; }
  uint32_t size() const { return size_; }
  uint64_t taken() const { return taken_; }      // popped so far, less put back
  uint32_t replies() const { return replies_; }  // of them, is_reply
  Packet* front() const { return head_; }
  Packet* back() const { return tail_; }

  void PushBack(PacketPtr packet);
  void PushReply(PacketPtr packet);  // is_reply, behind earlier replies
  void PushFront(PacketPtr packet);  // what was popped and could not go on
  PacketPtr PopFront();
  void Clear();

 private:
  Packet* head_ = nullptr;
  Packet* tail_ = nullptr;
  Packet* last_reply_ = nullptr;
  uint32_t size_ = 0;
  uint32_t replies_ = 0;
  uint64_t taken_ = 0;
};

inline void PacketQueue::PushBack(PacketPtr packet) {
  Packet* raw = packet.release();
  raw->next = nullptr;
  (head_ == nullptr ? head_ : tail_->next) = raw;
  tail_ = raw;
  ++size_;
}

inline PacketPtr PacketQueue::PopFront() {
  if (head_ == nullptr) return nullptr;
  Packet* raw = std::exchange(head_, head_->next);
  if (head_ == nullptr) tail_ = nullptr;
  raw->next = nullptr;
  --size_;
  ++taken_;
  if (raw->is_reply) {
    --replies_;
    if (last_reply_ == raw) last_reply_ = nullptr;
  }
  return PacketPtr(raw);
}

}  // namespace vsock

#endif  // VSOCK_PACKET_H_
