#include "tests/support/vsock_pair.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
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
  properties_.emplace(*guest_, *host_, *device_);
}

void VsockPair::Apply(const Effects& effects) {
  pending_[Index(Worker::kSend)] |= effects.run_send_work;
  pending_[Index(Worker::kRx)] |= effects.run_rx_work || effects.interrupt_rx;
  pending_[Index(Worker::kReclaim)] |= effects.interrupt_tx;
  bool& device = pending_[Index(Worker::kDevice)];
  if (effects.kick_tx) device |= device_->OnTxKick();
  if (effects.kick_rx) device |= device_->OnRxKick();
}

void VsockPair::ResetQueue(Queue queue) {
  StopQueue(queue);
  RestartQueue(queue);
  Expect(properties_->AfterStep());
}

void VsockPair::ResetDevice() {
  StopQueue(Queue::kTx);
  StopQueue(Queue::kRx);
  RestartQueue(Queue::kRx);
  RestartQueue(Queue::kTx);
  Expect(properties_->AfterStep());
}

void VsockPair::StopQueue(Queue queue) {
  guest_->driver().StopQueue(queue);
  device_->ResetQueue(queue);
}

void VsockPair::RestartQueue(Queue queue) {
  const absl::StatusOr<Effects> owed =
      guest_->driver().RestartQueue(queue, device_->IsReset(queue));
  VSOCK_CHECK(owed.ok());
  VSOCK_CHECK(device_->RestartQueue(queue).ok());
  Apply(*owed);
}

void VsockPair::RecordWire() {
  wire_.emplace(guest_->memory(), guest_->driver().layout());
  Look();
  wire_->Clear();
}

void VsockPair::Look() {
  if (wire_.has_value()) wire_->Observe();
}

Work VsockPair::TakeUp() {
  Work work = guest_->transport().OnDeadline(now_);
  work += host_->transport().OnDeadline(now_);
  const Effects effects = guest_->driver().Submit();
  Apply(effects);
  work += effects.work;
  pending_[Index(Worker::kDevice)] |= device_->Submit();
  Look();
  return work;
}

Effects VsockPair::StepOf(Worker worker) {
  switch (worker) {
    case Worker::kReclaim:
      return guest_->driver().ReclaimStep();
    case Worker::kSend:
      return guest_->driver().SendStep();
    case Worker::kDevice:
      return device_->Step(now_);
    case Worker::kRx:
      return guest_->driver().RxStep(now_);
  }
  VSOCK_CHECK(false);
}

Work VsockPair::Step(Worker worker) {
  VSOCK_CHECK(HasWork(worker));
  const Effects effects = StepOf(worker);
  pending_[Index(worker)] = effects.more;
  Apply(effects);
  Look();
  Expect(properties_->AfterStep());
  return effects.work;
}

void VsockPair::Expect(const absl::Status& property) {
  if (!property.ok()) ADD_FAILURE() << property;
}

bool VsockPair::HasWorkAnywhere() const {
  return std::find(pending_.begin(), pending_.end(), true) != pending_.end();
}

Work VsockPair::RunWatched(absl::FunctionRef<void()> after_step,
                           uint64_t limit) {
  Work total = TakeUp();
  for (uint64_t round = 0; round < limit; ++round) {
    bool any = false;
    for (const Worker worker : kAllWorkers) {
      if (!HasWork(worker) || paused_[Index(worker)]) continue;
      total += Step(worker);
      after_step();
      any = true;
    }
    if (any) continue;
    if (!HasWorkAnywhere()) Expect(properties_->AtRest());
    return total;
  }
  VSOCK_CHECK(false);  // livelock
}

}  // namespace vsock
