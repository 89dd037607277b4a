#include "vsock/vhost_user/memory_map.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace vsock::vhost_user {
namespace {

using virtqueue::GuestAddr;
using virtqueue::GuestMemory;

// What the process has room for beside everything else: 2^46 of 2^47 bytes.
constexpr uint64_t kMostBytes = uint64_t{1} << 46;

absl::Status Fault(const MemoryRegion& region, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrFormat("vhost-user SET_MEM_TABLE: region at %#x: %s",
                      region.guest_address, what));
}

// Whether the file has the bytes. Devices (DAX) do not say.
absl::Status CheckFile(const MemoryRegion& region, const FileDescriptor& file) {
  struct stat status;
  if (fstat(file.get(), &status) != 0) {
    return Fault(region, std::strerror(errno));
  }
  const uint64_t end = region.mmap_offset + region.size;
  if (S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) < end) {
    return Fault(region, "the file is shorter than the region");
  }
  return absl::OkStatus();
}

}  // namespace

MemoryMap::Mapping::Mapping(Mapping&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

MemoryMap::Mapping& MemoryMap::Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MemoryMap::Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

MemoryMap::MemoryMap(std::vector<Mapping> mappings, GuestMemory memory)
    : mappings_(std::move(mappings)), memory_(std::move(memory)) {}

absl::StatusOr<MemoryMap::Mapping> MemoryMap::Map(const MemoryRegion& region,
                                                  const FileDescriptor& file) {
  if (region.size > kMostBytes || region.mmap_offset > kMostBytes) {
    return Fault(region, "larger than any memory");
  }
  if (absl::Status s = CheckFile(region, file); !s.ok()) return s;
  const uint64_t bytes = region.mmap_offset + region.size;
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  if (at == MAP_FAILED) return Fault(region, std::strerror(errno));
  return Mapping(absl::MakeSpan(static_cast<std::byte*>(at), bytes));
}

absl::StatusOr<MemoryMap> MemoryMap::Create(
    const MemoryTable& table, const std::vector<FileDescriptor>& files) {
  if (files.size() != table.size()) {
    return absl::InvalidArgumentError(
        "vhost-user SET_MEM_TABLE: not one file for each region");
  }
  std::vector<Mapping> mappings;
  std::vector<GuestMemory::Region> regions;
  for (size_t i = 0; i < table.size(); ++i) {
    absl::StatusOr<Mapping> mapping = Map(table[i], files[i]);
    if (!mapping.ok()) return mapping.status();
    regions.push_back(
        {.base = GuestAddr(table[i].guest_address),
         .bytes = mapping->bytes().subspan(table[i].mmap_offset)});
    mappings.push_back(*std::move(mapping));
  }
  absl::StatusOr<GuestMemory> memory = GuestMemory::Create(std::move(regions));
  if (!memory.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "vhost-user SET_MEM_TABLE: %s", memory.status().message()));
  }
  return MemoryMap(std::move(mappings), *std::move(memory));
}

}  // namespace vsock::vhost_user
