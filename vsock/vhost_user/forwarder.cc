#include "vsock/vhost_user/forwarder.h"

#include <sys/epoll.h>

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "vsock/connection.h"
#include "vsock/transport.h"

namespace vsock::vhost_user {
namespace {

// Requests of the guest that wait for an answer.
constexpr uint32_t kMostHeld = 128;
// "CONNECT 4294967295\n", and some blanks.
constexpr size_t kMostLineBytes = 32;

// The port of a line "CONNECT N".
std::optional<Port> ParseLine(absl::string_view line) {
  uint32_t port;
  if (!absl::ConsumePrefix(&line, "CONNECT ") ||
      !absl::SimpleAtoi(line, &port)) {
    return std::nullopt;
  }
  return Port(port);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Forwarder>> Forwarder::Create(
    const std::string& path, Cid guest, Poller& poller) {
  absl::StatusOr<UnixListener> listener = UnixListener::Create(path);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<Forwarder> forwarder(
      new Forwarder(*std::move(listener), guest, poller));
  Forwarder* const raw = forwarder.get();
  const absl::Status added = poller.Add(
      raw->listener_.fd(), EPOLLIN, [raw](uint32_t) { raw->AcceptClient(); });
  if (!added.ok()) return added;
  return forwarder;
}

Forwarder::Forwarder(UnixListener listener, Cid guest, Poller& poller)
    : listener_(std::move(listener)), guest_(guest), poller_(poller) {}

Forwarder::~Forwarder() {
  poller_.Remove(listener_.fd());
  for (const auto& [fd, client] : clients_) poller_.Remove(fd);
}

void Forwarder::Begin(Sockets& sockets, Instant) {
  sockets_ = &sockets;
  sockets.transport().HoldRequests(kMostHeld);
}

void Forwarder::Run(Instant) {
  while (const std::optional<VsockHdr> request =
             sockets_->transport().TakeRequest()) {
    Answer(*request);
  }
}

void Forwarder::End() {
  bridges_.clear();
  connecting_.clear();
  sockets_ = nullptr;
}

void Forwarder::OnReady(SocketId socket, Instant now) {
  if (const auto bridge = bridges_.find(socket); bridge != bridges_.end()) {
    if (!bridge->second->Pump()) CloseBridge(socket, now);
  } else if (connecting_.contains(socket)) {
    OnConnected(socket, now);
  }
}

void Forwarder::AddBridge(SocketId socket, FileDescriptor file) {
  bridges_[socket] = std::make_unique<Bridge>(
      Bridge::Ends{.guest = socket, .unix_socket = std::move(file)}, *sockets_,
      *this, poller_);
  sockets_->RunAgain(socket, *this);
}

void Forwarder::CloseBridge(SocketId socket, Instant now) {
  bridges_.erase(socket);
  sockets_->Close(socket, now);
}

// From the guest.

void Forwarder::Answer(const VsockHdr& request) {
  Transport& transport = sockets_->transport();
  absl::StatusOr<FileDescriptor> file = absl::UnavailableError("too many");
  if (open() < kMostConnections) {
    file = ConnectUnix(
        absl::StrCat(listener_.path(), "_", uint32_t{request.dst_port}));
  }
  if (!file.ok()) {
    ++counters_.refused;
    return transport.Reject(request);
  }
  const absl::StatusOr<SocketId> socket = transport.Admit(request);
  if (!socket.ok()) return;  // the same request once more
  ++counters_.from_guest;
  AddBridge(*socket, *std::move(file));
}

// From the host.

void Forwarder::AcceptClient() {
  FileDescriptor file = listener_.Accept();
  if (!file.is_open()) return;
  const int fd = file.get();
  if (open() >= kMostConnections ||
      !poller_.Add(fd, EPOLLIN, [this, fd](uint32_t) { OnClient(fd); }).ok()) {
    ++counters_.refused;
    return;
  }
  clients_[fd].file = std::move(file);
}

void Forwarder::OnClient(int fd) {
  Client& client = clients_[fd];
  const bool goes_on = ReadLine(client);
  const bool whole = absl::EndsWith(client.line, "\n");
  if (goes_on && !whole) return;
  poller_.Remove(fd);
  Client done = std::move(client);
  clients_.erase(fd);
  if (whole) return Connect(std::move(done));
  ++counters_.refused;
}

// Reads up to the end of the line and not beyond: what follows is the guest's.
// False if there will be no line.
bool Forwarder::ReadLine(Client& client) {
  while (client.line.size() < kMostLineBytes) {
    std::byte next;
    const Moved moved = ReadSome(client.file.get(), absl::MakeSpan(&next, 1));
    if (moved.would_block) return true;
    if (moved.ended || !moved.status.ok()) return false;
    client.line.push_back(static_cast<char>(next));
    if (next == std::byte{'\n'}) return true;
  }
  return false;
}

void Forwarder::Connect(Client client) {
  const std::optional<Port> port =
      ParseLine(absl::StripSuffix(client.line, "\n"));
  if (!port.has_value() || sockets_ == nullptr) {
    ++counters_.refused;
    return;
  }
  Transport& transport = sockets_->transport();
  const absl::StatusOr<SocketId> socket = transport.Open(Type::kStream);
  if (!socket.ok()) {
    ++counters_.refused;
    return;
  }
  const absl::Status begun =
      transport.Connect(*socket, {guest_, *port}, poller_.now());
  connecting_[*socket] = std::move(client.file);
  if (!begun.ok()) return Refuse(*socket, poller_.now());
  sockets_->WaitFor(*socket, kConnected, *this);
}

void Forwarder::OnConnected(SocketId socket, Instant now) {
  Transport& transport = sockets_->transport();
  if (!transport.ConnectStatus(socket).ok()) return Refuse(socket, now);
  FileDescriptor file = std::move(connecting_[socket]);
  connecting_.erase(socket);
  const std::string line =
      absl::StrCat("OK ", transport.Find(socket)->port->value(), "\n");
  const Moved moved = WriteSome(
      file.get(),
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(line.data()),
                          line.size()));
  if (moved.bytes != line.size()) {  // it has gone meanwhile
    ++counters_.refused;
    return sockets_->Close(socket, now);
  }
  ++counters_.to_guest;
  AddBridge(socket, std::move(file));
}

void Forwarder::Refuse(SocketId socket, Instant now) {
  ++counters_.refused;
  connecting_.erase(socket);
  sockets_->Close(socket, now);
}

}  // namespace vsock::vhost_user
