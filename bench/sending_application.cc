#include "bench/sending_application.h"

#include "virtqueue/check.h"
#include "vsock/hdr.h"

namespace bench {

SendingApplication::SendingApplication(const Options& options,
                                       Progress& progress)
    : options_(options),
      progress_(progress),
      pattern_(options.message_bytes),
      datagram_(options.message_bytes) {}

Application::Outcome SendingApplication::Step(vsock::Transport& sockets,
                                              bool workers_idle) {
  sockets.TakeWakes([&](vsock::Wake) { awake_ = true; });
  if (sent_ == options_.messages) return FinishSending(sockets, workers_idle);
  if (!awake_) return Outcome::kNothing;
  Send(sockets);
  return Outcome::kSubmit;
}

void SendingApplication::Send(vsock::Transport& sockets) {
  const vsock::SendResult result = sockets.Send(
      options_.socket, {.data = NextBytes(*sockets.Find(options_.socket)),
                        .len = options_.message_bytes - accepted_,
                        .continued = accepted_ > 0});
  VSOCK_CHECK(result.status.ok());
  accepted_ += result.accepted;
  if (accepted_ == options_.message_bytes) {
    accepted_ = 0;
    ++sent_;
  } else {
    awake_ = sockets.WaitFor(options_.socket, vsock::kWritable);
  }
}

const std::byte* SendingApplication::NextBytes(const vsock::Socket& socket) {
  if (!options_.patterned) return pattern_.TextAt(0);
  if (!socket.datagram.has_value()) {
    return pattern_.TextAt(sent_ * options_.message_bytes + accepted_);
  }
  pattern_.WriteDatagram(sent_, absl::MakeSpan(datagram_));
  return datagram_.data();
}

// A stream is shut, and its end travels behind the last byte. Datagrams have
// arrived or are lost once the send buffer is empty again.
Application::Outcome SendingApplication::FinishSending(
    vsock::Transport& sockets, bool workers_idle) {
  if (closed_) return Outcome::kNothing;
  const vsock::Socket& socket = *sockets.Find(options_.socket);
  if (!socket.datagram.has_value()) {
    closed_ = true;
    VSOCK_CHECK(sockets.ShutDown(options_.socket, vsock::kShutdownSend).ok());
    return Outcome::kSubmit;
  }
  if (socket.datagram->send_buffer.charged() > 0 || !workers_idle) {
    return Outcome::kNothing;
  }
  closed_ = true;
  progress_.datagrams_settled = true;
  return Outcome::kTellOther;
}

}  // namespace bench
