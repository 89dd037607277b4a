#include "tests/vhost_user/world.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "virtqueue/check.h"
#include "vsock/connection.h"
#include "vsock/hdr.h"
#include "vsock/policy/proposal.h"
#include "vsock/transport.h"
#include "vsock/vhost_user/message.h"
#include "vsock/vhost_user/service.h"

namespace vsock::vhost_user {
namespace {

// Far more than anything takes, for a test that would never end.
constexpr std::chrono::seconds kPatience{20};
// Rounds without anything to do after which neither side has.
constexpr int kQuietRounds = 8;

std::string NewDirectory() {
  std::string name = "/tmp/vhost_user.XXXXXX";  // a socket's path is short
  VSOCK_CHECK(mkdtemp(name.data()) != nullptr);
  return name;
}

}  // namespace

World::World(const Options& options)
    : options_(options), directory_(NewDirectory()), guest_(options.guest) {
  StartDevice();
}

World::~World() {
  device_.reset();
  std::filesystem::remove_all(directory_);
}

std::string World::Path(const std::string& name) const {
  return directory_ + "/" + name;
}

void World::StartDevice() {
  const auto services = ParseServices(options_.services);
  VSOCK_CHECK(services.ok());
  Server::Options options = {
      .socket = Path("device"),
      .services = *services,
      .forward = options_.forwards ? Path("host") : "",
      .log = [this](absl::string_view line) { log_.emplace_back(line); }};
  if (options_.offers_datagrams) options.proposal = kLinux2023;
  auto device = Server::Create(options);
  VSOCK_CHECK(device.ok());
  device_ = *std::move(device);
}

void World::RestartDevice() {
  device_.reset();
  StartDevice();
}

void World::Start() {
  guest_.Connect(Path("device"));
  guest_.SendSetUp();
  const bool served = RunUntil([&] { return Count().ring_starts > 0; });
  VSOCK_CHECK(served);
  Settle();
  while (guest_.Answer().has_value()) continue;
}

bool World::RunUntil(absl::FunctionRef<bool()> done) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "nothing has come of it";
      return false;
    }
    const bool busy = guest_.Step();
    device_->Round(busy ? Nanos(0) : Nanos(1'000'000));
  }
  return true;
}

void World::Settle() {
  for (int quiet = 0; quiet < kQuietRounds;) {
    const bool busy = guest_.Step();
    const bool device_busy = device_->Round(Nanos(0));
    quiet = busy || device_busy ? 0 : quiet + 1;
  }
}

std::vector<std::byte> World::Answer() {
  std::optional<std::vector<std::byte>> answer;
  RunUntil([&] {
    answer = guest_.Answer();
    return answer.has_value() || guest_.HungUp();
  });
  return answer.value_or(std::vector<std::byte>());
}

std::array<RingBase, kQueues> World::StopRings() {
  std::array<RingBase, kQueues> bases;
  for (uint32_t i = 0; i < kQueues; ++i) {
    guest_.Send(Request::kGetVringBase, VringState{i, 0});
    const std::vector<std::byte> answer = Answer();
    VSOCK_CHECK(answer.size() == sizeof(VringState));
    std::memcpy(&bases[i], answer.data() + 4, sizeof(bases[i]));
  }
  return bases;
}

SocketId World::Connect(uint32_t port, absl::Status* status) {
  Transport& sockets = guest_.sockets();
  const auto socket = sockets.Open(Type::kStream);
  VSOCK_CHECK(
      socket.ok() &&
      sockets.Connect(*socket, {kCidHost, Port(port)}, Instant(0)).ok());
  RunUntil([&] { return sockets.IsReady(*socket, kConnected); });
  if (status != nullptr) *status = sockets.ConnectStatus(*socket);
  return *socket;
}

void World::Send(SocketId socket, const std::vector<std::byte>& bytes) {
  size_t done = 0;
  RunUntil([&] {
    const SendResult sent = guest_.sockets().Send(
        socket, {.data = bytes.data() + done,
                 .len = static_cast<uint32_t>(bytes.size() - done)});
    done += sent.accepted;
    return done == bytes.size() || !sent.status.ok();
  });
}

std::vector<std::byte> World::Read(SocketId socket, size_t bytes) {
  std::vector<std::byte> all;
  std::vector<std::byte> piece(kMaxPayload);
  RunUntil([&] {
    const ReceiveResult got = guest_.sockets().Receive(
        socket, piece.data(),
        static_cast<uint32_t>(std::min(piece.size(), bytes - all.size())));
    all.insert(all.end(), piece.begin(), piece.begin() + got.bytes);
    return all.size() == bytes || got.end_of_stream || !got.status.ok();
  });
  return all;
}

std::vector<std::byte> World::ReadToEnd(SocketId socket) {
  return Read(socket, ~size_t{0});
}

void World::ShutDown(SocketId socket, uint32_t hints) {
  VSOCK_CHECK(guest_.sockets().ShutDown(socket, hints).ok());
}

std::vector<std::byte> Pattern(size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<std::byte>(i % 251);
  }
  return pattern;
}

}  // namespace vsock::vhost_user
