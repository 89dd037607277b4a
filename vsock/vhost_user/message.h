// message.h: the messages between a front end and this back end, as bytes.
//
// Source: the vhost-user protocol as QEMU documents it (docs/interop/
// vhost-user.rst), version 1: a header of three 32-bit words in the byte order
// of the machine, a payload whose form the request says, and file descriptors
// beside it. Pure functions: bytes in, a message or an error that names the
// request out.
// Trust: none. Lengths, counts and the number of descriptors are judged here;
// what the numbers mean is judged in backend.h.
// Left out: requests of features that are not offered; they are recognised by
// name alone.

#ifndef VSOCK_VHOST_USER_MESSAGE_H_
#define VSOCK_VHOST_USER_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace vsock::vhost_user {

// VHOST_USER_*, those of a front end that this back end serves.
enum class Request : uint32_t {
  kGetFeatures = 1,
  kSetFeatures = 2,
  kSetOwner = 3,
  kResetOwner = 4,
  kSetMemTable = 5,
  kSetVringNum = 8,
  kSetVringAddr = 9,
  kSetVringBase = 10,
  kGetVringBase = 11,
  kSetVringKick = 12,
  kSetVringCall = 13,
  kSetVringErr = 14,
  kGetProtocolFeatures = 15,
  kSetProtocolFeatures = 16,
  kGetQueueNum = 17,
  kSetVringEnable = 18,
  kGetConfig = 24,
  kSetConfig = 25,
  kResetDevice = 34,
};

// SET_VRING_KICK, or the number of a request that is none of the above.
std::string RequestName(Request request);

inline constexpr uint32_t kHeaderBytes = 12;
inline constexpr size_t kMaxRegions = 8;  // and so of descriptors
inline constexpr uint32_t kMaxConfigBytes = 256;
inline constexpr uint32_t kMaxPayloadBytes = 12 + kMaxConfigBytes;

struct Header {
  static constexpr uint32_t kVersion = 1;
  static constexpr uint32_t kVersionMask = 3;
  static constexpr uint32_t kReply = 1u << 2;
  static constexpr uint32_t kNeedReply = 1u << 3;

  Request request;
  uint32_t flags;
  uint32_t size;  // of the payload, in bytes

  bool needs_reply() const { return (flags & kNeedReply) != 0; }
};

struct VringState {
  uint32_t index;
  uint32_t num;
};

// Where a ring lies, in addresses of the front end's process. On a packed ring
// `avail` and `used` are the event suppression of driver and device.
struct VringAddr {
  uint32_t index;
  uint32_t flags;
  uint64_t desc;
  uint64_t used;
  uint64_t avail;
  uint64_t log;
};

struct MemoryRegion {
  uint64_t guest_address;
  uint64_t size;
  uint64_t user_address;  // of the same bytes, in the front end's process
  uint64_t mmap_offset;   // of the same bytes, in the file
};
using MemoryTable = std::vector<MemoryRegion>;

// A ring's kick, call or error descriptor, which comes beside the payload.
struct VringFile {
  uint32_t index;
  bool has_file;
};

struct ConfigSpace {
  uint32_t offset;
  uint32_t flags;
  std::vector<std::byte> bytes;
};

// What the request says its payload is: nothing, a number, or a structure.
using Body = std::variant<std::monostate, uint64_t, VringState, VringAddr,
                          MemoryTable, VringFile, ConfigSpace>;

struct Message {
  Header header;
  Body body;
};

// `bytes` are the first kHeaderBytes of a message. InvalidArgument: another
// version, a reply, or a payload longer than that of any request.
absl::StatusOr<Header> ParseHeader(absl::Span<const std::byte> bytes);

// `payload` is header.size bytes, `files` the number of descriptors that came
// with the message. Unimplemented: a request that this back end does not know.
absl::StatusOr<Message> ParseMessage(const Header& header,
                                     absl::Span<const std::byte> payload,
                                     size_t files);

// A message of a back end: the answer to `request`.
std::vector<std::byte> EncodeReply(Request request, uint64_t number);
std::vector<std::byte> EncodeReply(Request request, const VringState& state);
// Without bytes it has no payload, which says that the request failed.
std::vector<std::byte> EncodeReply(Request request, const ConfigSpace& config);

// The other direction, as a front end writes it; `flags` beside the version.
std::vector<std::byte> EncodeRequest(Request request, uint32_t flags,
                                     const Body& body);

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_MESSAGE_H_
