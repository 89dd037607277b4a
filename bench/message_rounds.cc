#include "bench/message_rounds.h"

#include "virtqueue/check.h"

namespace bench {

MessageRounds::MessageRounds(const FlowShape& shape, uint32_t batch)
    : shape_(shape),
      batch_(batch),
      pair_(shape),
      from_(shape.to_host ? pair_.guest().sockets() : pair_.host().sockets()),
      to_(shape.to_host ? pair_.host().sockets() : pair_.guest().sockets()),
      sent_(shape.message_bytes),
      got_(shape.message_bytes) {}

void MessageRounds::Run() {
  Send();
  pair_.Settle();
  Receive();
  pair_.Settle();
}

void MessageRounds::Send() {
  for (uint32_t i = 0; i < batch_; ++i) {
    const vsock::SendResult result = from_.Send(
        pair_.sender(), {.data = sent_.data(), .len = shape_.message_bytes});
    VSOCK_CHECK(result.accepted == shape_.message_bytes);
  }
}

void MessageRounds::Receive() {
  for (uint32_t i = 0; i < batch_; ++i) {
    const vsock::ReceiveResult result =
        to_.Receive(pair_.receiver(), got_.data(), shape_.message_bytes);
    VSOCK_CHECK(result.bytes == shape_.message_bytes);
  }
}

}  // namespace bench
