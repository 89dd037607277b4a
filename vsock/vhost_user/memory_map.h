// memory_map.h: a guest's memory, mapped from the files of its front end.
//
// Source: VHOST_USER_SET_MEM_TABLE. A region is some bytes of a file from an
// offset on; the file is mapped from its beginning, as an offset need not be
// one that a mapping may begin at (huge pages).
// Trust: a region that its file does not hold is refused. A front end that
// shortens a file afterwards ends this process (SIGBUS), and no back end can
// keep it from that.
//
// Everything is unmapped when the map goes away.

#ifndef VSOCK_VHOST_USER_MEMORY_MAP_H_
#define VSOCK_VHOST_USER_MEMORY_MAP_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {

class MemoryMap {
 public:
  // A file for each region. InvalidArgument names the region that is at fault.
  static absl::StatusOr<MemoryMap> Create(
      const MemoryTable& table, const std::vector<FileDescriptor>& files);

  const virtqueue::GuestMemory& memory() const { return memory_; }

 private:
  // Bytes mapped from a file, until this goes away.
  class Mapping {
   public:
    explicit Mapping(absl::Span<std::byte> bytes) : bytes_(bytes) {}
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    absl::Span<std::byte> bytes() const { return bytes_; }

   private:
    absl::Span<std::byte> bytes_;
  };

  MemoryMap(std::vector<Mapping> mappings, virtqueue::GuestMemory memory);

  static absl::StatusOr<Mapping> Map(const MemoryRegion& region,
                                     const FileDescriptor& file);

  std::vector<Mapping> mappings_;
  virtqueue::GuestMemory memory_;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_MEMORY_MAP_H_
