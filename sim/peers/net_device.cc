#include "sim/peers/net_device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/types/span.h"

namespace sim {

using virtqueue::Chain;
using virtqueue::DeviceQueue;

namespace {

void Notify(bool wanted, NetEffects& effects) {
  effects.interrupt |= wanted;
  ++(wanted ? effects.work.interrupts : effects.work.interrupts_suppressed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NetDevice>> NetDevice::Create(
    const virtqueue::GuestMemory& memory, const Options& options) {
  const DeviceQueue::Options queue = {.size = options.ring_size,
                                      .event_idx = options.event_idx,
                                      .indirect = options.indirect,
                                      .in_order = options.in_order};
  absl::StatusOr<DeviceQueue> tx =
      DeviceQueue::Create(memory, options.tx, queue);
  if (!tx.ok()) return tx.status();
  absl::StatusOr<DeviceQueue> rx =
      DeviceQueue::Create(memory, options.rx, queue);
  if (!rx.ok()) return rx.status();
  return std::unique_ptr<NetDevice>(
      new NetDevice(options, *std::move(tx), *std::move(rx)));
}

NetDevice::NetDevice(const Options& options, DeviceQueue tx, DeviceQueue rx)
    : options_(options), tx_(std::move(tx)), rx_(std::move(rx)) {}

absl::Status NetDevice::status() const {
  return tx_.status().ok() ? rx_.status() : tx_.status();
}

// Turns.

// True if the worker slept.
bool NetDevice::Queue(Turn turn) {
  if (turn_ == turn && !(flushing_ && then_ == Then::kRest)) {
    return false;  // the turn goes on and will see the ring or the tap again
  }
  const bool slept = turn_ == Turn::kNone && queued_[0] == Turn::kNone &&
                     doing_ == Doing::kNothing;
  if (queued_[0] == Turn::kNone) {
    queued_[0] = turn;
  } else if (queued_[0] != turn) {
    queued_[1] = turn;
  }
  return slept;
}

bool NetDevice::StartTurn() {
  turn_ = std::exchange(queued_[0], std::exchange(queued_[1], Turn::kNone));
  if (turn_ == Turn::kNone) return false;
  (turn_ == Turn::kTx ? tx_ : rx_).DisableNotifications();
  turn_frames_ = turn_bytes_ = 0;
  return true;
}

void NetDevice::EndTurn(bool requeue) {
  const Turn ended = std::exchange(turn_, Turn::kNone);
  if (requeue) Queue(ended);
}

bool NetDevice::WeightsUsedUp() const {
  return turn_frames_ >= options_.packet_weight ||
         turn_bytes_ >= options_.byte_weight;
}

NetEffects NetDevice::Step() {
  NetEffects effects;
  Finish(effects);
  while (turn_ != Turn::kNone || StartTurn()) {
    if (turn_ == Turn::kTx ? ContinueTx(effects) : ContinueRx(effects)) break;
  }
  effects.more = doing_ != Doing::kNothing;
  return effects;
}

void NetDevice::Finish(NetEffects& effects) {
  switch (std::exchange(doing_, Doing::kNothing)) {
    case Doing::kNothing:
    case Doing::kCopying:
      return;
    case Doing::kHandingOn:
      return FinishHandingOn(effects);
    case Doing::kFilling:
      return FinishFilling(effects);
  }
}

// Guest to host.

// True if there is something to pay for.
bool NetDevice::ContinueTx(NetEffects& effects) {
  if (!flushing_) return CopyNext(effects);
  if (!batch_.empty()) {
    effects.work.packets += 1;
    effects.work.allocations += 1;
    effects.stack.packets += 1;
    doing_ = Doing::kHandingOn;
    return true;
  }
  flushing_ = false;
  SignalTx(effects);
  if (then_ != Then::kGoOn) EndTurn(then_ == Then::kRequeue);
  return false;
}

bool NetDevice::CopyNext(NetEffects& effects) {
  if (WeightsUsedUp()) {
    FlushThen(Then::kRequeue);
    return false;
  }
  if (batch_.size() >= kBatch) {
    FlushThen(Then::kGoOn);
    return false;
  }
  Chain chain;
  DeviceQueue::PopResult popped = tx_.Pop(chain);
  if (popped == DeviceQueue::PopResult::kEmpty && tx_.EnableNotifications()) {
    tx_.DisableNotifications();
    popped = tx_.Pop(chain);
  }
  if (popped == DeviceQueue::PopResult::kChain) {
    return TakeUp(std::move(chain), effects);
  }
  FlushThen(Then::kRest);
  return false;
}

// False if it was no frame.
bool NetDevice::TakeUp(Chain chain, NetEffects& effects) {
  ++tx_popped_;
  ++turn_frames_;
  effects.work.descriptors += chain.descriptors();
  const uint64_t readable = chain.readable_bytes();
  constexpr uint64_t kMost = kNetHdrBytes + kEthernetBytes + 65535;
  if (readable <= kNetHdrBytes || readable > kMost ||
      chain.writable_bytes() > 0) {
    ++tx_malformed_;
    ++tx_completed_;
    ++tx_unsignalled_;
    tx_.Push(chain, 0);
    return false;
  }
  NetFrame frame;
  frame.bytes = static_cast<uint32_t>(readable) - kNetHdrBytes;
  frame.receive_charge = TapTrueSize(frame.bytes);
  frame.kept.resize(KeptOfFrame(options_.payload, frame.bytes));
  chain.CopyFrom(kNetHdrBytes, absl::MakeSpan(frame.kept));
  effects.work.bytes_copied += readable;
  turn_bytes_ += frame.bytes;
  if (!IsBatchable(frame.bytes)) FlushThen(Then::kGoOn);
  batch_.push_back({std::move(chain), std::move(frame)});
  doing_ = Doing::kCopying;
  return true;
}

void NetDevice::FlushThen(Then then) {
  flushing_ = true;
  then_ = then;
}

void NetDevice::FinishHandingOn(NetEffects& effects) {
  Copied& first = batch_.front();
  effects.arrived = std::move(first.frame);
  ++tx_completed_;
  ++tx_unsignalled_;
  tx_.Push(first.chain, 0);  // nothing is written to tx buffers
  batch_.pop_front();
}

void NetDevice::SignalTx(NetEffects& effects) {
  if (std::exchange(tx_unsignalled_, 0) == 0) return;
  Notify(tx_.Publish(), effects);
}

// Host to guest.

NetDevice::OfferResult NetDevice::Offer(NetFrame& frame) {
  if (tap_.size() >= options_.tap_frames) return OfferResult::kFull;
  tap_.push_back(std::move(frame));
  ++tap_in_;
  if (waits_for_buffers_) return OfferResult::kTaken;
  return Queue(Turn::kRx) ? OfferResult::kTakenRunWorker : OfferResult::kTaken;
}

// True if there is something to pay for.
bool NetDevice::ContinueRx(NetEffects& effects) {
  waits_for_buffers_ = false;
  const bool used_up = WeightsUsedUp();
  if (!used_up && !tap_.empty() && GatherRxBuffers()) {
    Fill(effects);
    return true;
  }
  SignalRx(effects);
  EndTurn(used_up);
  return false;
}

// True if what was popped holds the tap's first frame.
bool NetDevice::GatherRxBuffers() {
  const uint64_t needed = kNetHdrBytes + tap_.front().bytes;
  while (rx_room_ < needed) {
    Chain chain;
    DeviceQueue::PopResult popped = rx_.Pop(chain);
    if (popped == DeviceQueue::PopResult::kEmpty && rx_.EnableNotifications()) {
      rx_.DisableNotifications();
      popped = rx_.Pop(chain);
    }
    if (popped != DeviceQueue::PopResult::kChain) {
      waits_for_buffers_ = true;
      return false;
    }
    rx_room_ += chain.writable_bytes();
    rx_chains_.push_back(std::move(chain));
  }
  return true;
}

void NetDevice::Fill(NetEffects& effects) {
  filling_ = std::move(tap_.front());
  tap_.pop_front();
  const uint32_t bytes = kNetHdrBytes + filling_.bytes;
  NetHdr hdr;
  hdr.num_buffers = static_cast<uint16_t>(rx_chains_.size());
  std::array<std::byte, kNetHdrBytes> raw;
  std::memcpy(raw.data(), &hdr, sizeof(hdr));
  absl::InlinedVector<std::byte, 80> image(raw.begin(), raw.end());
  image.insert(image.end(), filling_.kept.begin(), filling_.kept.end());
  absl::Span<const std::byte> left = image;
  for (Chain& chain : rx_chains_) {
    const size_t copied = chain.CopyTo(0, left);
    left = left.subspan(copied);
    effects.work.descriptors += chain.descriptors();
  }
  effects.work.packets += 1;
  effects.work.bytes_copied += bytes;
  ++turn_frames_;
  turn_bytes_ += filling_.bytes;
  doing_ = Doing::kFilling;
}

void NetDevice::FinishFilling(NetEffects& effects) {
  uint64_t left = kNetHdrBytes + filling_.bytes;
  for (Chain& chain : rx_chains_) {
    const uint64_t piece = std::min(left, chain.writable_bytes());
    rx_.Push(chain, static_cast<uint32_t>(piece));
    left -= piece;
  }
  rx_unsignalled_ += static_cast<uint32_t>(rx_chains_.size());
  rx_chains_.clear();
  rx_room_ = 0;
  ++rx_added_;
  if (rx_unsignalled_ > kBatch) SignalRx(effects);
}

void NetDevice::SignalRx(NetEffects& effects) {
  if (std::exchange(rx_unsignalled_, 0) == 0) return;
  Notify(rx_.Publish(), effects);
}

}  // namespace sim
