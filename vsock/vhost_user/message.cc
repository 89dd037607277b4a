#include "vsock/vhost_user/message.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace vsock::vhost_user {
namespace {

// SET_VRING_KICK, CALL and ERR: the ring's number, and that no descriptor
// comes with it.
constexpr uint64_t kRingIndexMask = 0xff;
constexpr uint64_t kNoFile = 1u << 8;

constexpr size_t kConfigHeadBytes = 12;

// Memory table: a count, padding, then the regions.
constexpr size_t kTableHeadBytes = 8;

static_assert(sizeof(VringState) == 8 && sizeof(VringAddr) == 40 &&
                  sizeof(MemoryRegion) == 32,
              "wire layout");
static_assert(kTableHeadBytes + kMaxRegions * sizeof(MemoryRegion) <=
              kMaxPayloadBytes);

template <typename T>
T Read(absl::Span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <typename T>
void Append(const T& value, std::vector<std::byte>& to) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(T));
}

absl::Status Fault(Request request, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("vhost-user ", RequestName(request), ": ", what));
}

absl::Status CheckSize(const Header& header, size_t want) {
  if (header.size == want) return absl::OkStatus();
  return Fault(header.request, absl::StrCat("payload of ", header.size,
                                            " bytes instead of ", want));
}

absl::Status CheckFiles(Request request, size_t files, size_t want) {
  if (files == want) return absl::OkStatus();
  return Fault(request,
               absl::StrCat(files, " file descriptors instead of ", want));
}

template <typename T>
absl::StatusOr<Body> ParsePlain(const Header& header,
                                absl::Span<const std::byte> payload) {
  if (absl::Status s = CheckSize(header, sizeof(T)); !s.ok()) return s;
  return Body(Read<T>(payload));
}

absl::StatusOr<Body> ParseNothing(const Header& header) {
  if (absl::Status s = CheckSize(header, 0); !s.ok()) return s;
  return Body();
}

absl::StatusOr<Body> ParseFile(const Header& header,
                               absl::Span<const std::byte> payload,
                               size_t files) {
  if (absl::Status s = CheckSize(header, 8); !s.ok()) return s;
  const uint64_t number = Read<uint64_t>(payload);
  if ((number & ~(kRingIndexMask | kNoFile)) != 0) {
    return Fault(header.request, "bits that have no meaning");
  }
  const bool has_file = (number & kNoFile) == 0;
  if (absl::Status s = CheckFiles(header.request, files, has_file ? 1 : 0);
      !s.ok()) {
    return s;
  }
  return Body(VringFile{.index = static_cast<uint32_t>(number & kRingIndexMask),
                        .has_file = has_file});
}

absl::StatusOr<Body> ParseTable(const Header& header,
                                absl::Span<const std::byte> payload,
                                size_t files) {
  if (payload.size() < kTableHeadBytes) {
    return Fault(header.request, "payload without a count of regions");
  }
  const uint32_t count = Read<uint32_t>(payload);
  if (count == 0 || count > kMaxRegions) {
    return Fault(header.request, absl::StrCat(count, " regions"));
  }
  absl::Status status =
      CheckSize(header, kTableHeadBytes + count * sizeof(MemoryRegion));
  status.Update(CheckFiles(header.request, files, count));
  if (!status.ok()) return status;
  MemoryTable table;
  for (uint32_t i = 0; i < count; ++i) {
    table.push_back(Read<MemoryRegion>(
        payload.subspan(kTableHeadBytes + i * sizeof(MemoryRegion))));
  }
  return Body(std::move(table));
}

absl::StatusOr<Body> ParseConfig(const Header& header,
                                 absl::Span<const std::byte> payload) {
  if (payload.size() < kConfigHeadBytes) {
    return Fault(header.request, "payload without offset and size");
  }
  const auto size = Read<uint32_t>(payload.subspan(4));
  if (size > kMaxConfigBytes) {
    return Fault(header.request, absl::StrCat(size, " bytes of configuration"));
  }
  if (absl::Status s = CheckSize(header, kConfigHeadBytes + size); !s.ok()) {
    return s;
  }
  const absl::Span<const std::byte> bytes = payload.subspan(kConfigHeadBytes);
  return Body(ConfigSpace{.offset = Read<uint32_t>(payload),
                          .flags = Read<uint32_t>(payload.subspan(8)),
                          .bytes = {bytes.begin(), bytes.end()}});
}

absl::StatusOr<Body> ParseBody(const Header& header,
                               absl::Span<const std::byte> payload,
                               size_t files) {
  switch (header.request) {
    case Request::kGetFeatures:
    case Request::kSetOwner:
    case Request::kResetOwner:
    case Request::kGetProtocolFeatures:
    case Request::kGetQueueNum:
    case Request::kResetDevice:
      return ParseNothing(header);
    case Request::kSetFeatures:
    case Request::kSetProtocolFeatures:
      return ParsePlain<uint64_t>(header, payload);
    case Request::kSetVringNum:
    case Request::kSetVringBase:
    case Request::kGetVringBase:
    case Request::kSetVringEnable:
      return ParsePlain<VringState>(header, payload);
    case Request::kSetVringAddr:
      return ParsePlain<VringAddr>(header, payload);
    case Request::kSetMemTable:
      return ParseTable(header, payload, files);
    case Request::kSetVringKick:
    case Request::kSetVringCall:
    case Request::kSetVringErr:
      return ParseFile(header, payload, files);
    case Request::kGetConfig:
    case Request::kSetConfig:
      return ParseConfig(header, payload);
  }
  return absl::UnimplementedError(
      absl::StrCat("vhost-user ", RequestName(header.request),
                   ": a request that this back end does not serve"));
}

std::vector<std::byte> EncodeHeader(Request request, uint32_t flags,
                                    size_t payload) {
  std::vector<std::byte> bytes;
  bytes.reserve(kHeaderBytes + payload);
  Append(static_cast<uint32_t>(request), bytes);
  Append(Header::kVersion | flags, bytes);
  Append(static_cast<uint32_t>(payload), bytes);
  return bytes;
}

template <typename T>
std::vector<std::byte> EncodePlain(Request request, uint32_t flags,
                                   const T& payload) {
  std::vector<std::byte> bytes = EncodeHeader(request, flags, sizeof(T));
  Append(payload, bytes);
  return bytes;
}

// How a payload is written, one for each alternative of Body.
struct Encoder {
  Request request;
  uint32_t flags;

  std::vector<std::byte> operator()(std::monostate) const {
    return EncodeHeader(request, flags, 0);
  }
  std::vector<std::byte> operator()(uint64_t number) const {
    return EncodePlain(request, flags, number);
  }
  std::vector<std::byte> operator()(const VringState& state) const {
    return EncodePlain(request, flags, state);
  }
  std::vector<std::byte> operator()(const VringAddr& addr) const {
    return EncodePlain(request, flags, addr);
  }
  std::vector<std::byte> operator()(const VringFile& file) const {
    return EncodePlain(request, flags,
                       file.index | (file.has_file ? 0 : kNoFile));
  }
  std::vector<std::byte> operator()(const MemoryTable& table) const {
    std::vector<std::byte> bytes = EncodeHeader(
        request, flags, kTableHeadBytes + table.size() * sizeof(MemoryRegion));
    Append(static_cast<uint32_t>(table.size()), bytes);
    Append(uint32_t{0}, bytes);
    for (const MemoryRegion& region : table) Append(region, bytes);
    return bytes;
  }
  std::vector<std::byte> operator()(const ConfigSpace& config) const {
    std::vector<std::byte> bytes =
        EncodeHeader(request, flags, kConfigHeadBytes + config.bytes.size());
    Append(config.offset, bytes);
    Append(static_cast<uint32_t>(config.bytes.size()), bytes);
    Append(config.flags, bytes);
    bytes.insert(bytes.end(), config.bytes.begin(), config.bytes.end());
    return bytes;
  }
};

}  // namespace

std::string RequestName(Request request) {
  switch (request) {
    case Request::kGetFeatures:
      return "GET_FEATURES";
    case Request::kSetFeatures:
      return "SET_FEATURES";
    case Request::kSetOwner:
      return "SET_OWNER";
    case Request::kResetOwner:
      return "RESET_OWNER";
    case Request::kSetMemTable:
      return "SET_MEM_TABLE";
    case Request::kSetVringNum:
      return "SET_VRING_NUM";
    case Request::kSetVringAddr:
      return "SET_VRING_ADDR";
    case Request::kSetVringBase:
      return "SET_VRING_BASE";
    case Request::kGetVringBase:
      return "GET_VRING_BASE";
    case Request::kSetVringKick:
      return "SET_VRING_KICK";
    case Request::kSetVringCall:
      return "SET_VRING_CALL";
    case Request::kSetVringErr:
      return "SET_VRING_ERR";
    case Request::kGetProtocolFeatures:
      return "GET_PROTOCOL_FEATURES";
    case Request::kSetProtocolFeatures:
      return "SET_PROTOCOL_FEATURES";
    case Request::kGetQueueNum:
      return "GET_QUEUE_NUM";
    case Request::kSetVringEnable:
      return "SET_VRING_ENABLE";
    case Request::kGetConfig:
      return "GET_CONFIG";
    case Request::kSetConfig:
      return "SET_CONFIG";
    case Request::kResetDevice:
      return "RESET_DEVICE";
  }
  return absl::StrCat("request ", static_cast<uint32_t>(request));
}

absl::StatusOr<Header> ParseHeader(absl::Span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) {
    return absl::InvalidArgumentError("vhost-user: a header cut short");
  }
  const Header header = {.request = static_cast<Request>(Read<uint32_t>(bytes)),
                         .flags = Read<uint32_t>(bytes.subspan(4)),
                         .size = Read<uint32_t>(bytes.subspan(8))};
  if ((header.flags & Header::kVersionMask) != Header::kVersion) {
    return Fault(header.request, "not version 1 of the protocol");
  }
  if ((header.flags & Header::kReply) != 0) {
    return Fault(header.request, "a reply to nothing");
  }
  if (header.size > kMaxPayloadBytes) {
    return Fault(header.request,
                 absl::StrCat("payload of ", header.size, " bytes"));
  }
  return header;
}

absl::StatusOr<Message> ParseMessage(const Header& header,
                                     absl::Span<const std::byte> payload,
                                     size_t files) {
  if (payload.size() != header.size) {
    return Fault(header.request, "payload cut short");
  }
  absl::StatusOr<Body> body = ParseBody(header, payload, files);
  if (!body.ok()) return body.status();
  const bool takes_files = std::holds_alternative<VringFile>(*body) ||
                           std::holds_alternative<MemoryTable>(*body);
  if (!takes_files) {
    if (absl::Status s = CheckFiles(header.request, files, 0); !s.ok()) {
      return s;
    }
  }
  return Message{.header = header, .body = *std::move(body)};
}

std::vector<std::byte> EncodeReply(Request request, uint64_t number) {
  return EncodePlain(request, Header::kReply, number);
}

std::vector<std::byte> EncodeReply(Request request, const VringState& state) {
  return EncodePlain(request, Header::kReply, state);
}

std::vector<std::byte> EncodeReply(Request request, const ConfigSpace& config) {
  if (config.bytes.empty()) return EncodeHeader(request, Header::kReply, 0);
  return Encoder{request, Header::kReply}(config);
}

std::vector<std::byte> EncodeRequest(Request request, uint32_t flags,
                                     const Body& body) {
  return std::visit(Encoder{request, flags}, body);
}

}  // namespace vsock::vhost_user
