#include "vsock/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vsock {

using virtqueue::Chain;
using virtqueue::DeviceQueue;

namespace {

absl::StatusOr<DeviceQueue> OpenQueue(
    const virtqueue::GuestMemory& memory, const virtqueue::RingAddrs& addrs,
    const DeviceQueue::Options& options,
    const std::optional<virtqueue::DeviceState>& state) {
  if (!state.has_value()) return DeviceQueue::Create(memory, addrs, options);
  absl::StatusOr<DeviceQueue::Restored> restored =
      DeviceQueue::Restore(memory, addrs, options, *state);
  if (!restored.ok()) return restored.status();
  if (!restored->in_flight.empty()) {
    return absl::InvalidArgumentError("a state with chains in hand");
  }
  return std::move(restored->queue);
}

DeviceQueue::Options QueueOptions(const Device::Options& options) {
  return {.size = options.ring_size,
          .event_idx = options.event_idx,
          .indirect = options.indirect,
          .in_order = options.in_order};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> Device::Create(
    const virtqueue::GuestMemory& memory, const Options& options,
    Transport& host, PacketPool& pool, PacketQueue& send_list) {
  if (options.guest_cid <= kCidHost || options.guest_cid >= kCidAny) {
    return absl::InvalidArgumentError(
        "5.10.4: reserved context id, or one above 32 bits");
  }
  const DeviceQueue::Options queue = QueueOptions(options);
  absl::StatusOr<DeviceQueue> tx =
      OpenQueue(memory, options.tx, queue, options.tx_state);
  if (!tx.ok()) return tx.status();
  absl::StatusOr<DeviceQueue> rx =
      OpenQueue(memory, options.rx, queue, options.rx_state);
  if (!rx.ok()) return rx.status();
  return std::unique_ptr<Device>(new Device(
      memory, options, host, pool, send_list, *std::move(tx), *std::move(rx)));
}

Device::Device(const virtqueue::GuestMemory& memory, const Options& options,
               Transport& host, PacketPool& pool, PacketQueue& send_list,
               DeviceQueue tx, DeviceQueue rx)
    : memory_(memory),
      options_(options),
      host_(host),
      pool_(pool),
      send_list_(send_list),
      tx_(std::move(tx)),
      rx_(std::move(rx)) {}

absl::Status Device::status() const {
  for (const DeviceQueue* queue : {&tx_, &rx_}) {
    if (queue->has_ring() && !queue->status().ok()) return queue->status();
  }
  return absl::OkStatus();
}

void Device::ResetQueue(Queue queue) {
  Of(queue).Reset();
  const Turn turn = queue == Queue::kTx ? Turn::kTx : Turn::kSend;
  if (in_hand_.turn == turn) {
    Of(queue).UnPop(in_hand_.chain);  // of the life that is over
    if (turn == Turn::kSend) send_list_.PushFront(std::move(in_hand_.packet));
    in_hand_ = {};
  }
  if (turn_ == turn) {
    turn_ = Turn::kNone;
    used_in_turn_ = interrupt_needed_ = false;
  }
}

absl::Status Device::RestartQueue(Queue queue) {
  return Of(queue).Restart(memory_,
                           queue == Queue::kTx ? options_.tx : options_.rx,
                           QueueOptions(options_));
}

// Turns.

// True if the worker slept.
bool Device::Enqueue(Turn turn) {
  if (turn_ == turn && in_hand_.turn == turn) {
    // The turn goes on and will see the ring or the list again.
    return false;
  }
  const bool slept = idle();
  if (queued_[0] == Turn::kNone) {
    queued_[0] = turn;
  } else if (queued_[0] != turn) {
    queued_[1] = turn;
  }
  return slept;
}

bool Device::StartTurn() {
  turn_ = std::exchange(queued_[0], std::exchange(queued_[1], Turn::kNone));
  if (turn_ == Turn::kNone) return false;
  (turn_ == Turn::kTx ? tx_ : rx_).DisableNotifications();
  turn_packets_ = turn_bytes_ = 0;
  return true;
}

void Device::EndTurn(Turn ended, Effects& effects) {
  turn_ = Turn::kNone;
  if (!used_in_turn_) return;
  bool& interrupt =
      ended == Turn::kTx ? effects.interrupt_tx : effects.interrupt_rx;
  interrupt |= interrupt_needed_;
  ++(interrupt_needed_ ? effects.work.interrupts
                       : effects.work.interrupts_suppressed);
  used_in_turn_ = interrupt_needed_ = false;
}

bool Device::WeightsUsedUp() {
  if (turn_packets_ < options_.packet_weight &&
      turn_bytes_ < options_.byte_weight) {
    return false;
  }
  Enqueue(std::exchange(turn_, Turn::kNone));
  return true;
}

Effects Device::Step(Instant now) {
  Effects effects;
  if (in_hand_.turn != Turn::kNone) FinishInHand(now, effects);
  while (turn_ != Turn::kNone || StartTurn()) {
    const Turn turn = turn_;
    if (turn == Turn::kTx ? BeginTx(effects) : BeginSend(effects)) break;
    EndTurn(turn, effects);
  }
  effects.more = in_hand_.turn != Turn::kNone;
  return effects;
}

Effects Device::Finish(Instant now) {
  Effects effects;
  const Turn turn = in_hand_.turn;
  if (turn == Turn::kNone) return effects;
  FinishInHand(now, effects);
  EndTurn(turn, effects);
  return effects;
}

void Device::FinishInHand(Instant now, Effects& effects) {
  if (in_hand_.turn == Turn::kTx) {
    FinishTx(now, effects);
  } else {
    FinishSend(effects);
  }
  in_hand_.turn = Turn::kNone;
  used_in_turn_ = true;
}

// Guest to host.

// False if the turn ends.
bool Device::BeginTx(Effects& effects) {
  if (WeightsUsedUp()) return false;
  // 5.10.6.1: no memory for more replies; FinishSend lets it go on.
  tx_stalled_ = send_list_.replies() >= most_replies();
  if (tx_stalled_) return false;
  DeviceQueue::PopResult popped = tx_.Pop(in_hand_.chain);
  if (popped == DeviceQueue::PopResult::kEmpty && tx_.EnableNotifications()) {
    tx_.DisableNotifications();
    popped = tx_.Pop(in_hand_.chain);
  }
  if (popped != DeviceQueue::PopResult::kChain) return false;
  in_hand_.turn = Turn::kTx;
  in_hand_.packet = TakeUp(in_hand_.chain, effects);
  effects.work.packets += 1;
  effects.work.descriptors += in_hand_.chain.descriptors();
  ++turn_packets_;
  return true;
}

// The packet in a tx chain; null, and counted, if it goes no further.
PacketPtr Device::TakeUp(const Chain& chain, Effects& effects) {
  VsockHdr hdr;
  const size_t got = chain.CopyFrom(
      0, absl::MakeSpan(reinterpret_cast<std::byte*>(&hdr), kHdrBytes));
  PacketPtr packet;
  if (got < kHdrBytes || chain.writable_bytes() > 0 ||
      hdr.len > chain.readable_bytes() - kHdrBytes || hdr.len > kMaxPayload) {
    hdr.len = static_cast<uint32_t>(std::min<uint64_t>(
        hdr.len, chain.readable_bytes() - got));  // what was there of it
    losses_.Add(DropReason::kMalformed, hdr);
  } else if (hdr.src_cid != options_.guest_cid.value() ||
             hdr.dst_cid != host_.cid().value()) {
    losses_.Add(DropReason::kWrongCid, hdr);
  } else {
    packet =
        pool_.Allocate(hdr.len, SkbCapacity(kHdrBytes + hdr.len) - kHdrBytes);
    if (packet == nullptr) effects.work += host_.Refuse(hdr);
  }
  if (packet == nullptr) {
    datagrams_lost_to_host_ += hdr.is(Type::kDgram);
    return nullptr;
  }
  packet->hdr = hdr;
  chain.CopyFrom(kHdrBytes, absl::MakeSpan(packet->data, pool_.Kept(hdr.len)));
  effects.work.bytes_copied += kHdrBytes + hdr.len;
  effects.work.allocations += 1;
  turn_bytes_ += hdr.len;
  return packet;
}

void Device::FinishTx(Instant now, Effects& effects) {
  if (in_hand_.packet != nullptr) {
    effects.work += host_.Deliver(std::move(in_hand_.packet), now);
  }
  ++tx_completed_;
  tx_.Push(in_hand_.chain, 0);  // 5.10.6: nothing is written to tx buffers
  interrupt_needed_ |= tx_.Publish();
  Submit();  // replies
}

// Host to guest.

// False if the turn ends.
bool Device::BeginSend(Effects& effects) {
  while (!WeightsUsedUp() && !send_list_.empty()) {
    DeviceQueue::PopResult popped = rx_.Pop(in_hand_.chain);
    if (popped == DeviceQueue::PopResult::kEmpty && rx_.EnableNotifications()) {
      rx_.DisableNotifications();
      popped = rx_.Pop(in_hand_.chain);
    }
    waits_for_ring_ = popped != DeviceQueue::PopResult::kChain;
    if (waits_for_ring_) return false;
    in_hand_.packet = send_list_.PopFront();
    effects.work.packets += 1;
    effects.work.descriptors += in_hand_.chain.descriptors();
    ++turn_packets_;
    if (!FitIntoBuffer(*in_hand_.packet, effects)) continue;
    in_hand_.turn = Turn::kSend;
    return true;
  }
  return false;
}

// Copies as much of the packet as the buffer takes. False if the two do not
// go together; then the one at fault has been dealt with.
bool Device::FitIntoBuffer(Packet& packet, Effects& effects) {
  Chain& chain = in_hand_.chain;
  const uint64_t least = kHdrBytes + (packet.remaining() > 0 ? 1 : 0);
  if (chain.readable_bytes() > 0 || chain.writable_bytes() < least) {
    // Not an rx buffer: it goes back unused, the packet keeps its turn.
    send_list_.PushFront(std::move(in_hand_.packet));
    rx_.Push(chain, 0);
    interrupt_needed_ |= rx_.Publish();
    used_in_turn_ = true;
    return false;
  }
  const uint64_t room = chain.writable_bytes() - kHdrBytes;
  if (packet.hdr.is(Type::kDgram) && packet.remaining() > room) {
    losses_.Add(DropReason::kRxBufferTooSmall, packet.hdr);
    ++datagrams_lost_to_guest_;
    effects.work += host_.OnSent(packet);
    in_hand_.packet.reset();
    rx_.UnPop(chain);
    return false;
  }
  const uint32_t piece =
      static_cast<uint32_t>(std::min<uint64_t>(room, packet.remaining()));
  VsockHdr hdr = packet.hdr;
  hdr.len = piece;
  chain.CopyTo(
      0, absl::MakeConstSpan(reinterpret_cast<std::byte*>(&hdr), kHdrBytes));
  const uint32_t kept = pool_.Kept(packet.hdr.len);
  if (packet.offset < kept) {
    chain.CopyTo(kHdrBytes,
                 absl::MakeConstSpan(packet.data + packet.offset,
                                     std::min(piece, kept - packet.offset)));
  }
  in_hand_.piece = piece;
  effects.work.bytes_copied += kHdrBytes + piece;
  turn_bytes_ += piece;
  return true;
}

void Device::FinishSend(Effects& effects) {
  ++rx_completed_;
  rx_.Push(in_hand_.chain, kHdrBytes + in_hand_.piece);
  interrupt_needed_ |= rx_.Publish();
  Packet& packet = *in_hand_.packet;
  packet.offset += in_hand_.piece;
  if (packet.remaining() > 0) {
    send_list_.PushFront(std::move(in_hand_.packet));
    return;
  }
  effects.work += host_.OnSent(packet);
  in_hand_.packet.reset();
  if (tx_stalled_ && send_list_.replies() < most_replies()) {
    tx_stalled_ = false;
    Enqueue(Turn::kTx);
  }
}

}  // namespace vsock
