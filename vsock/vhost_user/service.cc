#include "vsock/vhost_user/service.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"
#include "vsock/hdr.h"

namespace vsock::vhost_user {
namespace {

using Next = Service::Next;

// Reads or sends of one socket in one round.
constexpr int kCallsPerRound = 8;
constexpr uint64_t kDefaultPace = 1 << 20;
constexpr int64_t kReadsPerSecond = 16;
constexpr uint32_t kPatternPeriod = 251;

using Buffer = std::array<std::byte, kMaxPayload>;

// The payload in the hands of the service that runs.
Buffer& Scratch() {
  static Buffer* const buffer = new Buffer;
  return *buffer;
}

const Connection* ConnectionOf(Transport& transport, SocketId id) {
  const Socket* socket = transport.Find(id);
  return socket == nullptr || !socket->connection.has_value()
             ? nullptr
             : &*socket->connection;
}

// Reads until nothing is left, at most so often. Says how it ended.
Next Drain(Transport& transport, SocketId id) {
  for (int i = 0; i < kCallsPerRound; ++i) {
    const ReceiveResult got =
        transport.Receive(id, Scratch().data(), kMaxPayload);
    if (got.would_block) return {.events = kReadable};
    if (got.end_of_stream || !got.status.ok()) return {.over = true};
  }
  return {.again = true};
}

class Echo final : public Service {
 public:
  Next Serve(Transport& transport, SocketId id, uint64_t&, Instant) override {
    for (int i = 0; i < kCallsPerRound; ++i) {
      const Connection* connection = ConnectionOf(transport, id);
      if (connection == nullptr || connection->Broken()) return {.over = true};
      const uint32_t room = connection->credit().Space();
      if (room == 0) return {.events = kWritable};
      const ReceiveResult got =
          transport.Receive(id, Scratch().data(), std::min(room, kMaxPayload));
      if (got.would_block) return {.events = kReadable};
      if (got.bytes == 0) return {.over = true};
      const SendResult sent =
          transport.Send(id, {.data = Scratch().data(), .len = got.bytes});
      if (sent.accepted != got.bytes) return {.over = true};
    }
    return {.again = true};
  }

  bool takes_datagrams() const override { return true; }
  Next ServeDatagrams(Transport& transport, SocketId id) override {
    for (int i = 0; i < kCallsPerRound; ++i) {
      if (!transport.IsReady(id, kWritable)) return {.events = kWritable};
      const ReceiveResult got =
          transport.Receive(id, Scratch().data(), kMaxPayload);
      if (got.would_block) return {.events = kReadable};
      // One that can't be sent back is lost, as datagrams are.
      (void)transport.Send(
          id, {.data = Scratch().data(), .len = got.bytes, .to = got.from});
    }
    return {.again = true};
  }
};

class Discard final : public Service {
 public:
  Next Serve(Transport& transport, SocketId id, uint64_t&, Instant) override {
    return Drain(transport, id);
  }

  bool takes_datagrams() const override { return true; }
  Next ServeDatagrams(Transport& transport, SocketId id) override {
    return Drain(transport, id);
  }
};

class Source final : public Service {
 public:
  explicit Source(std::optional<uint64_t> bytes) : bytes_(bytes) {
    for (size_t i = 0; i < pattern_.size(); ++i) {
      pattern_[i] = static_cast<std::byte>(i % kPatternPeriod);
    }
  }

  Next Serve(Transport& transport, SocketId id, uint64_t& progress,
             Instant) override {
    const Next reading = Drain(transport, id);
    Next next = Send(transport, id, progress);
    next.again |= reading.again;
    next.events |= reading.events;
    // What was to be sent is; the guest may take its time to close.
    const bool sent_all = !next.over && !next.again && progress == bytes_;
    next.over |= reading.over && sent_all;
    return next;
  }

 private:
  Next Send(Transport& transport, SocketId id, uint64_t& progress) {
    for (int i = 0; i < kCallsPerRound; ++i) {
      const Connection* connection = ConnectionOf(transport, id);
      if (connection == nullptr) return {.over = true};
      if (progress == bytes_) return HalfClose(transport, id, *connection);
      const SendResult sent = transport.Send(
          id, {.data = pattern_.data() + progress % kPatternPeriod,
               .len = Piece(progress)});
      if (!sent.status.ok()) return {.over = true};
      if (sent.blocked != Blocked::kNo) return {.events = kWritable};
      progress += sent.accepted;
    }
    return {.again = true};
  }

  uint32_t Piece(uint64_t progress) const {
    if (!bytes_.has_value()) return kMaxPayload;
    return static_cast<uint32_t>(
        std::min<uint64_t>(kMaxPayload, *bytes_ - progress));
  }

  static Next HalfClose(Transport& transport, SocketId id,
                        const Connection& connection) {
    if ((connection.shutdown() & kShutdownSend) != 0) return {};
    const bool shut = transport.ShutDown(id, kShutdownSend).ok();
    return {.over = !shut};
  }

  const std::optional<uint64_t> bytes_;
  std::array<std::byte, kMaxPayload + kPatternPeriod> pattern_;
};

class Closing final : public Service {
 public:
  Next Serve(Transport&, SocketId, uint64_t&, Instant) override {
    return {.over = true};
  }
};

class Slow final : public Service {
 public:
  explicit Slow(uint64_t pace)
      : piece_(static_cast<uint32_t>(
            std::clamp<uint64_t>(pace / kReadsPerSecond, 1, kMaxPayload))) {}

  Next Serve(Transport& transport, SocketId id, uint64_t&,
             Instant now) override {
    const ReceiveResult got = transport.Receive(id, Scratch().data(), piece_);
    if (got.would_block) return {.events = kReadable};
    if (got.bytes == 0) return {.over = true};
    return {.at = now + Nanos(1'000'000'000 / kReadsPerSecond)};
  }

 private:
  const uint32_t piece_;
};

struct Name {
  absl::string_view name;
  ServiceKind kind;
};

constexpr std::array kNames = {
    Name{"echo", ServiceKind::kEcho},
    Name{"discard", ServiceKind::kDiscard},
    Name{"source", ServiceKind::kSource},
    Name{"close", ServiceKind::kClose},
    Name{"slow", ServiceKind::kSlow},
};

absl::Status Unreadable(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "service \"", text,
      "\": not NAME:PORT or NAME:PORT:NUMBER with a name of echo, discard, "
      "source, close, slow"));
}

absl::StatusOr<ServiceSpec> ParseService(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  const auto* name =
      std::find_if(kNames.begin(), kNames.end(),
                   [&](const Name& known) { return known.name == parts[0]; });
  uint32_t port;
  if (name == kNames.end() || parts.size() < 2 || parts.size() > 3 ||
      !absl::SimpleAtoi(parts[1], &port) || Port(port) == kPortAny) {
    return Unreadable(text);
  }
  ServiceSpec spec = {.kind = name->kind, .port = Port(port)};
  if (parts.size() == 2) return spec;
  uint64_t argument;
  if (!absl::SimpleAtoi(parts[2], &argument)) return Unreadable(text);
  spec.argument = argument;
  return spec;
}

}  // namespace

Next Service::ServeDatagrams(Transport&, SocketId) { return {.over = true}; }

std::unique_ptr<Service> Service::Create(const ServiceSpec& spec) {
  switch (spec.kind) {
    case ServiceKind::kEcho:
      return std::make_unique<Echo>();
    case ServiceKind::kDiscard:
      return std::make_unique<Discard>();
    case ServiceKind::kSource:
      return std::make_unique<Source>(spec.argument);
    case ServiceKind::kClose:
      return std::make_unique<Closing>();
    case ServiceKind::kSlow:
      return std::make_unique<Slow>(spec.argument.value_or(kDefaultPace));
  }
  VSOCK_CHECK(false);
}

absl::StatusOr<std::vector<ServiceSpec>> ParseServices(absl::string_view text) {
  std::vector<ServiceSpec> specs;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    absl::StatusOr<ServiceSpec> spec = ParseService(part);
    if (!spec.ok()) return spec.status();
    for (const ServiceSpec& other : specs) {
      if (other.port == spec->port) {
        return absl::InvalidArgumentError(absl::StrCat(
            "port ", spec->port.value(), " is given to two services"));
      }
    }
    specs.push_back(*spec);
  }
  return specs;
}

}  // namespace vsock::vhost_user
