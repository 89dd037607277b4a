#include "tests/support/vsock_pair.h"

#include "virtqueue/check.h"

namespace vsock {

VsockPair::Options VsockPair::Defaults() {
  Options options;
  const Features features(Features::kStream | Features::kDgram);
  options.guest.transport.cid = kTestGuestCid;
  options.guest.transport.features = features;
  options.host.transport.cid = kCidHost;
  options.host.transport.features = features;
  return options;
}

VsockPair::VsockPair(const Options& options) {
  auto guest = Guest::Create(options.guest);
  VSOCK_CHECK(guest.ok());
  guest_ = *std::move(guest);
  auto host = Host::Create(options.host);
  VSOCK_CHECK(host.ok());
  host_ = *std::move(host);
  auto device =
      host_->AddGuest(guest_->memory(), {.cid = options.guest.transport.cid,
                                         .rings = guest_->driver().layout(),
                                         .packet_weight = options.packet_weight,
                                         .byte_weight = options.byte_weight});
  VSOCK_CHECK(device.ok());
  device_ = *device;
}

void VsockPair::Apply(const Effects& effects) {
  total_ += effects.work;
  send_work_ |= effects.run_send_work;
  rx_work_ |= effects.run_rx_work || effects.interrupt_rx;
  reclaim_ |= effects.interrupt_tx;
  if (effects.kick_tx) device_work_ |= device_->OnTxKick();
  if (effects.kick_rx) device_work_ |= device_->OnRxKick();
}

Work VsockPair::Run(uint64_t limit) {
  total_ = Work();
  for (uint64_t round = 0; round < limit; ++round) {
    total_ += guest_->transport().OnDeadline(now_);
    total_ += host_->transport().OnDeadline(now_);
    Apply(guest_->driver().Submit());
    device_work_ |= device_->Submit();
    if (!send_work_ && !rx_work_ && !reclaim_ && !device_work_) return total_;
    if (reclaim_) {
      reclaim_ = false;
      Apply(guest_->driver().ReclaimStep());
    }
    if (send_work_) {
      const Effects effects = guest_->driver().SendStep();
      send_work_ = effects.more;
      Apply(effects);
    }
    if (device_work_) {
      const Effects effects = device_->Step(now_);
      device_work_ = effects.more;
      Apply(effects);
    }
    if (rx_work_) {
      const Effects effects = guest_->driver().RxStep(now_);
      rx_work_ = effects.more;
      Apply(effects);
    }
  }
  VSOCK_CHECK(false);  // livelock
  return total_;
}

}  // namespace vsock
