#include "bench/flow_pair.h"

#include <algorithm>

#include "virtqueue/check.h"
#include "vsock/features.h"

namespace bench {
namespace {

using vsock::Guest;
using vsock::Host;
using vsock::Transport;
using vsock::Type;

constexpr vsock::Cid kGuestCid{3};
constexpr vsock::Port kPort{10};
constexpr vsock::Features kFeatures(vsock::Features::kStream |
                                    vsock::Features::kDgram);
constexpr vsock::Instant kNow{0};  // no time-out is due within a run

Guest::Options GuestOptions(const FlowShape& shape) {
  Guest::Options options;
  options.transport.cid = kGuestCid;
  options.transport.features = kFeatures;
  options.driver.event_idx = shape.event_idx;
  options.payload = shape.payload;
  if (shape.type == Type::kDgram) {
    uint32_t& buffer = options.driver.rx_buffer_bytes;
    buffer = std::max(buffer, vsock::kHdrBytes + shape.message_bytes);
  }
  return options;
}

Host::Options HostOptions(const FlowShape& shape) {
  Host::Options options;
  options.transport.cid = vsock::kCidHost;
  options.transport.features = kFeatures;
  options.payload = shape.payload;
  return options;
}

}  // namespace

FlowPair::FlowPair(const FlowShape& shape)
    : guest_(*Guest::Create(GuestOptions(shape))),
      host_(*Host::Create(HostOptions(shape))),
      device_(*host_->AddGuest(
          guest_->memory(),
          {.cid = kGuestCid, .rings = guest_->driver().layout()})),
      guest_side_(*guest_),
      host_side_(*host_, *device_) {
  OpenFlow(shape);
}

void FlowPair::OpenFlow(const FlowShape& shape) {
  Transport& from = shape.to_host ? guest_->transport() : host_->transport();
  Transport& to = shape.to_host ? host_->transport() : guest_->transport();
  sender_ = *from.Open(shape.type);
  receiver_ = *to.Open(shape.type);
  VSOCK_CHECK(to.Bind(receiver_, kPort).ok());
  if (shape.type == Type::kStream) {
    VSOCK_CHECK(to.Listen(receiver_, /*backlog=*/1).ok());
  }
  VSOCK_CHECK(from.Connect(sender_, {to.cid(), kPort}, kNow).ok());
  Settle();
  if (shape.type == Type::kStream) receiver_ = *to.Accept(receiver_);
}

void FlowPair::Settle() {
  host_side_.OnBells(guest_side_.Submit());
  guest_side_.OnBells(host_side_.Submit());
  while (guest_side_.busy() || host_side_.busy()) {
    host_side_.OnBells(guest_side_.Step(kNow));
    guest_side_.OnBells(host_side_.Step(kNow));
  }
}

vsock::Work FlowPair::work() const {
  vsock::Work sum = guest_side_.work();
  return sum += host_side_.work();
}

uint64_t FlowPair::dropped() {
  return guest_->transport().losses().counters().total().packets +
         guest_->driver().losses().counters().total().packets +
         host_->transport().losses().counters().total().packets +
         device_->losses().counters().total().packets;
}

}  // namespace bench
