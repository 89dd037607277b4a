#include "vsock/vhost_user/server.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "vsock/features.h"
#include "vsock/vhost_user/host_program.h"

namespace vsock::vhost_user {
namespace {

uint64_t OfferedFeatures(const Server::Options& options) {
  return kVersion1 | options.ring_features | Features::kStream |
         Features::kNoImpliedStream |
         (options.proposal.has_value() ? Features::kDgram : 0);
}

std::vector<HostProgram*> Programs(Services& services, Forwarder* forwarder) {
  std::vector<HostProgram*> programs = {&services};
  if (forwarder != nullptr) programs.push_back(forwarder);
  return programs;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Create(const Options& options) {
  if (options.guest_cid <= kCidHost || options.guest_cid >= kCidAny) {
    return absl::InvalidArgumentError(
        absl::StrCat("5.10.4: no guest may have the context id ",
                     options.guest_cid.value()));
  }
  absl::StatusOr<Poller> made = Poller::Create();
  if (!made.ok()) return made.status();
  auto poller = std::make_unique<Poller>(*std::move(made));
  absl::StatusOr<UnixListener> listener = UnixListener::Create(options.socket);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<Forwarder> forwarder;
  if (!options.forward.empty()) {
    auto opened =
        Forwarder::Create(options.forward, options.guest_cid, *poller);
    if (!opened.ok()) return opened.status();
    forwarder = *std::move(opened);
  }
  std::unique_ptr<Server> server(new Server(
      options, std::move(poller), *std::move(listener), std::move(forwarder)));
  if (absl::Status s = server->Listen(); !s.ok()) return s;
  return server;
}

Server::Server(const Options& options, std::unique_ptr<Poller> poller,
               UnixListener listener, std::unique_ptr<Forwarder> forwarder)
    : options_(options),
      poller_(std::move(poller)),
      listener_(std::move(listener)),
      services_(options.services),
      forwarder_(std::move(forwarder)),
      guest_({.life = {.guest_cid = options.guest_cid,
                       .proposal = options.proposal.value_or(kLinux2023)},
              .programs = Programs(services_, forwarder_.get()),
              .log = options.log},
             *poller_) {}

Server::~Server() {
  if (backend_.has_value()) backend_->Close();
}

absl::Status Server::Listen() {
  return poller_->Add(listener_.fd(), EPOLLIN,
                      [this](uint32_t) { AcceptFrontEnd(); });
}

void Server::AcceptFrontEnd() {
  FileDescriptor connection = listener_.Accept();
  if (!connection.is_open()) return;
  const int fd = connection.get();
  ++front_ends_;
  backend_.emplace(Backend::Options{.guest_cid = options_.guest_cid,
                                    .features = OfferedFeatures(options_)},
                   guest_);
  front_end_.emplace(std::move(connection), *backend_);
  poller_->Change(listener_.fd(), 0);
  const absl::Status added =
      poller_->Add(fd, EPOLLIN, [this](uint32_t) { OnFrontEnd(); });
  if (!added.ok()) HangUp(added);
}

void Server::OnFrontEnd() {
  const absl::Status status = front_end_->OnReadable();
  if (!status.ok()) HangUp(status);
}

void Server::HangUp(const absl::Status& why) {
  if (!absl::IsOutOfRange(why)) {
    ++faults_;
    options_.log(absl::StrCat("hanging up: ", why.message()));
  }
  poller_->Remove(front_end_->fd());
  messages_ += front_end_->messages();
  front_end_.reset();
  backend_->Close();
  backend_.reset();
  guest_.Disconnect();
  poller_->Change(listener_.fd(), EPOLLIN);
}

bool Server::Round(std::optional<Nanos> limit) {
  const std::optional<Nanos> patience = guest_.Patience();
  const bool has_work = patience.has_value() && *patience <= Nanos(0);
  if (patience.has_value())
    limit = std::min(limit.value_or(*patience), *patience);
  const bool had_events = poller_->Wait(limit);
  guest_.Step();
  return has_work || had_events;
}

Counters Server::Count() const {
  Counters counters = guest_.Count();
  counters.front_ends = front_ends_;
  counters.front_end_faults = faults_;
  counters.front_end_messages =
      messages_ + (front_end_.has_value() ? front_end_->messages() : 0);
  counters.connections_accepted = services_.accepted();
  if (forwarder_ == nullptr) return counters;
  counters.forwarded_from_guest = forwarder_->counters().from_guest;
  counters.forwarded_to_guest = forwarder_->counters().to_guest;
  counters.forwarding_refused = forwarder_->counters().refused;
  return counters;
}

}  // namespace vsock::vhost_user
