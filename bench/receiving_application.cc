#include "bench/receiving_application.h"

#include "absl/types/span.h"
#include "virtqueue/check.h"

namespace bench {

ReceivingApplication::ReceivingApplication(const Options& options,
                                           Progress& progress)
    : options_(options),
      progress_(progress),
      pattern_(options.message_bytes),
      buffer_(options.message_bytes) {}

Application::Outcome ReceivingApplication::Step(vsock::Transport& sockets,
                                                bool workers_idle) {
  sockets.TakeWakes([&](vsock::Wake) { awake_ = true; });
  if (!runnable()) {
    last_look_ = progress_.datagrams_settled;
    return Outcome::kNothing;
  }
  const bool nothing_more = last_look_ && workers_idle;
  last_look_ = progress_.datagrams_settled;
  if (Receive(sockets)) return Outcome::kSubmit;
  if (nothing_more) progress_.all_received = true;
  return Outcome::kNothing;
}

// True if something was read.
bool ReceivingApplication::Receive(vsock::Transport& sockets) {
  const vsock::ReceiveResult result =
      sockets.Receive(options_.socket, buffer_.data(), options_.message_bytes);
  VSOCK_CHECK(result.status.ok());
  if (result.end_of_stream) progress_.all_received = true;
  if (result.would_block) {
    awake_ = sockets.WaitFor(options_.socket, vsock::kReadable);
  }
  if (result.would_block || result.end_of_stream) return false;
  if (options_.patterned) {
    Compare(*sockets.Find(options_.socket), result.bytes);
  }
  ++reads_;
  bytes_ += result.bytes;
  return true;
}

void ReceivingApplication::Compare(const vsock::Socket& socket,
                                   uint32_t bytes) {
  const auto got = absl::MakeConstSpan(buffer_).first(bytes);
  intact_ &= socket.datagram.has_value()
                 ? pattern_.IsDatagram(got, next_datagram_)
                 : pattern_.IsTextAt(bytes_, got);
}

}  // namespace bench
