// owned_guest_memory.h: the memory of a guest that exists only in this process.
//
// One region of zero bytes that the operating system backs on first touch, so a
// large guest costs what it uses; and a bump allocator for its driver.
// Left out: freeing (a driver lays its rings and buffers out once).

#ifndef VIRTQUEUE_OWNED_GUEST_MEMORY_H_
#define VIRTQUEUE_OWNED_GUEST_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"

namespace virtqueue {

class OwnedGuestMemory {
 public:
  // `bytes` from guest-physical address `base` on. InvalidArgument if that
  // wraps or is nothing; ResourceExhausted if the system refuses.
  static absl::StatusOr<OwnedGuestMemory> Create(
      uint64_t bytes, GuestAddr base = GuestAddr(0x10000));

  OwnedGuestMemory(OwnedGuestMemory&& other) noexcept;
  OwnedGuestMemory& operator=(OwnedGuestMemory&& other) noexcept;
  ~OwnedGuestMemory();

  // `size` bytes not handed out before, at a multiple of `align` (a power of
  // two). Who asks for more than bytes_left() has sized the guest wrongly: that
  // is our bug and stops the program.
  GuestAddr Allocate(uint64_t size, uint64_t align);

  uint64_t bytes_left() const;
  const GuestMemory& memory() const { return memory_; }

 private:
  OwnedGuestMemory(absl::Span<std::byte> mapping, GuestAddr base,
                   GuestMemory memory);

  absl::Span<std::byte> mapping_;
  GuestAddr base_;
  uint64_t allocated_ = 0;
  GuestMemory memory_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_OWNED_GUEST_MEMORY_H_
