#include "virtqueue/owned_guest_memory.h"

#include <sys/mman.h>

#include <bit>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "virtqueue/check.h"

namespace virtqueue {

absl::StatusOr<OwnedGuestMemory> OwnedGuestMemory::Create(uint64_t bytes,
                                                          GuestAddr base) {
  if (bytes == 0) {
    return absl::InvalidArgumentError("guest memory of no bytes");
  }
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("no %u bytes for guest memory", bytes));
  }
  const absl::Span<std::byte> mapping(static_cast<std::byte*>(mapped), bytes);
  absl::StatusOr<GuestMemory> memory =
      GuestMemory::Create({{.base = base, .bytes = mapping}});
  if (!memory.ok()) {
    munmap(mapped, bytes);
    return memory.status();
  }
  return OwnedGuestMemory(mapping, base, *std::move(memory));
}

OwnedGuestMemory::OwnedGuestMemory(absl::Span<std::byte> mapping,
                                   GuestAddr base, GuestMemory memory)
    : mapping_(mapping), base_(base), memory_(std::move(memory)) {}

OwnedGuestMemory::OwnedGuestMemory(OwnedGuestMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})),
      base_(other.base_),
      allocated_(other.allocated_),
      memory_(std::move(other.memory_)) {}

OwnedGuestMemory& OwnedGuestMemory::operator=(
    OwnedGuestMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(base_, other.base_);
  std::swap(allocated_, other.allocated_);
  std::swap(memory_, other.memory_);
  return *this;
}

OwnedGuestMemory::~OwnedGuestMemory() {
  if (!mapping_.empty()) munmap(mapping_.data(), mapping_.size());
}

GuestAddr OwnedGuestMemory::Allocate(uint64_t size, uint64_t align) {
  VSOCK_CHECK(std::has_single_bit(align));
  const uint64_t next = base_.value() + allocated_;
  const uint64_t padding = (align - next % align) % align;
  VSOCK_CHECK(padding <= bytes_left() && size <= bytes_left() - padding);
  allocated_ += padding + size;
  return GuestAddr(next + padding);
}

uint64_t OwnedGuestMemory::bytes_left() const {
  return mapping_.size() - allocated_;
}

}  // namespace virtqueue
