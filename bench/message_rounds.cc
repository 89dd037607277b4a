#include "bench/message_rounds.h"

#include "virtqueue/check.h"

namespace bench {

MessageRounds::MessageRounds(const FlowShape& shape, uint32_t batch)
    : shape_(shape),
      batch_(batch),
      pair_(PairFor(shape)),
      flow_(OpenFlow(pair_, shape)),
      guest_(pair_.guest()),
      host_(pair_.host(), pair_.device()),
      from_(shape.to_host ? guest_.sockets() : host_.sockets()),
      to_(shape.to_host ? host_.sockets() : guest_.sockets()),
      sent_(shape.message_bytes),
      got_(shape.message_bytes) {}

void MessageRounds::Run() {
  Send();
  Settle();
  Receive();
  Settle();
}

void MessageRounds::Send() {
  for (uint32_t i = 0; i < batch_; ++i) {
    const vsock::SendResult result = from_.Send(
        flow_.sender, {.data = sent_.data(), .len = shape_.message_bytes});
    VSOCK_CHECK(result.accepted == shape_.message_bytes);
  }
}

void MessageRounds::Receive() {
  for (uint32_t i = 0; i < batch_; ++i) {
    const vsock::ReceiveResult result =
        to_.Receive(flow_.receiver, got_.data(), shape_.message_bytes);
    VSOCK_CHECK(result.bytes == shape_.message_bytes);
  }
}

void MessageRounds::Settle() {
  host_.OnBells(guest_.Submit());
  guest_.OnBells(host_.Submit());
  while (guest_.busy() || host_.busy()) {
    host_.OnBells(guest_.Step(pair_.now()));
    guest_.OnBells(host_.Step(pair_.now()));
  }
}

vsock::Work MessageRounds::work() const {
  vsock::Work sum = guest_.work();
  return sum += host_.work();
}

}  // namespace bench
