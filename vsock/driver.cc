#include "vsock/driver.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "virtqueue/check.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/ring_memory.h"

namespace vsock {

using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using virtqueue::OwnedGuestMemory;

namespace {

// A packet is at most a header and a payload descriptor.
constexpr uint16_t kTableEntries = 2;

DriverQueue::Options QueueOptions(const Driver::Options& options,
                                  OwnedGuestMemory& memory) {
  DriverQueue::Options queue = {.size = options.ring_size,
                                .event_idx = options.event_idx,
                                .indirect = options.indirect,
                                .in_order = options.in_order,
                                .indirect_table_entries = kTableEntries};
  virtqueue::AllocateIndirectTables(memory, queue);
  return queue;
}

}  // namespace

uint64_t Driver::Places::Bytes(uint16_t count) {
  return uint64_t{count} * kPlaceBytes + kHdrBytes + kMaxPayload;
}

Driver::Places::Places(OwnedGuestMemory& memory, uint16_t count)
    : base_(memory.Allocate(Bytes(count), kPlaceBytes)),
      bytes_(memory.memory().TrySlice(base_,
                                      static_cast<uint32_t>(Bytes(count)))) {}

uint64_t Driver::MemoryBytes(const Options& options) {
  const uint64_t ring =
      virtqueue::RingBytes(options.ring_format, options.ring_size) +
      uint64_t{options.ring_size} * kTableEntries *
          virtqueue::kDescriptorBytes +
      Places::Bytes(options.ring_size);
  return 2 * ring + 4096;  // and what alignment costs
}

absl::StatusOr<std::unique_ptr<Driver>> Driver::Create(OwnedGuestMemory& memory,
                                                       const Options& options,
                                                       Transport& transport,
                                                       PacketPool& pool,
                                                       PacketQueue& send_list) {
  if (options.ring_size < 2) {
    return absl::InvalidArgumentError(
        "2.7.5.3.1, 2.8.17: a packet is a chain of two descriptors");
  }
  if (options.rx_buffer_bytes <= kHdrBytes ||
      options.rx_buffer_bytes > kHdrBytes + kMaxPayload) {
    return absl::InvalidArgumentError(
        "5.10.6: an rx buffer holds a header and 1 to 65536 payload bytes");
  }
  RingLayout layout = {.size = options.ring_size,
                       .event_idx = options.event_idx,
                       .indirect = options.indirect,
                       .in_order = options.in_order};
  layout.tx =
      virtqueue::AllocateRing(memory, options.ring_format, options.ring_size);
  layout.rx =
      virtqueue::AllocateRing(memory, options.ring_format, options.ring_size);
  absl::StatusOr<Made> tx = Make(memory, options, layout.tx);
  if (!tx.ok()) return tx.status();
  absl::StatusOr<Made> rx = Make(memory, options, layout.rx);
  if (!rx.ok()) return rx.status();
  return std::unique_ptr<Driver>(new Driver(memory, options, transport, pool,
                                            send_list, layout, *std::move(tx),
                                            *std::move(rx)));
}

absl::StatusOr<Driver::Made> Driver::Make(OwnedGuestMemory& memory,
                                          const Options& options,
                                          const virtqueue::RingAddrs& addrs) {
  const DriverQueue::Options queue_options = QueueOptions(options, memory);
  absl::StatusOr<DriverQueue> queue =
      DriverQueue::Create(memory.memory(), addrs, queue_options);
  if (!queue.ok()) return queue.status();
  return Made{.options = queue_options, .queue = *std::move(queue)};
}

Driver::Driver(OwnedGuestMemory& memory, const Options& options,
               Transport& transport, PacketPool& pool, PacketQueue& send_list,
               const RingLayout& layout, Made tx, Made rx)
    : memory_(memory.memory()),
      options_(options),
      transport_(transport),
      pool_(pool),
      send_list_(send_list),
      layout_(layout),
      tx_options_(tx.options),
      tx_(std::move(tx.queue)),
      tx_places_(memory, options.ring_size),
      in_tx_ring_(options.ring_size),
      rx_options_(rx.options),
      rx_(std::move(rx.queue)),
      rx_places_(memory, options.ring_size),
      rx_blocks_(options.ring_size) {
  for (uint16_t i = options.ring_size; i > 0; --i) {
    free_places_.push_back(static_cast<uint16_t>(i - 1));
    unposted_.push_back(static_cast<uint16_t>(i - 1));
  }
  // Before DRIVER_OK: the device finds the buffers when it starts.
  Effects unannounced;
  Refill(unannounced);
}

absl::Status Driver::status() const {
  return tx_.status().ok() ? rx_.status() : tx_.status();
}

// Reset.

void Driver::StopQueue(Queue queue) {
  (queue == Queue::kTx ? tx_stopped_ : rx_stopped_) = true;
}

absl::StatusOr<Effects> Driver::RestartQueue(Queue queue, bool is_reset) {
  if (!is_reset) {
    return absl::FailedPreconditionError(
        "2.6.1.1.2: the device has not reset the queue");
  }
  return queue == Queue::kTx ? RestartTx() : RestartRx();
}

Effects Driver::RestartTx() {
  Effects effects = ReclaimStep();
  const virtqueue::DriverState old = tx_.Save();
  for (auto i = old.in_flight.rbegin(); i != old.in_flight.rend(); ++i) {
    replies_put_back_ += in_tx_ring_[i->token]->is_reply;
    send_list_.PushFront(std::move(in_tx_ring_[i->token]));
    free_places_.push_back(static_cast<uint16_t>(i->token));
    --tx_added_;
  }
  tx_ = *DriverQueue::Create(memory_, layout_.tx, tx_options_);
  tx_stopped_ = false;
  added_since_kick_ = kick_needed_ = false;
  send_work_pending_ = waits_for_ring_ = false;
  effects += Submit();
  return effects;
}

Effects Driver::RestartRx() {
  Effects effects;
  for (PacketPtr packet; TakeNext(packet);) {
    if (packet != nullptr) rx_taken_.PushBack(std::move(packet));
  }
  for (const auto& chain : rx_.Save().in_flight) {
    unposted_.push_back(static_cast<uint16_t>(chain.token));
  }
  rx_ = *DriverQueue::Create(memory_, layout_.rx, rx_options_);
  rx_stopped_ = rx_running_ = false;
  Refill(effects);
  effects.run_rx_work = !idle();
  return effects;
}

// Sending.

Effects Driver::Submit() {
  Effects effects;
  if (rx_starved_) Refill(effects);
  if (send_work_pending_) return effects;
  while (!send_list_.empty()) {
    if (!AddToRing(effects)) {
      send_work_pending_ = true;
      effects.run_send_work = true;
      break;
    }
  }
  DecideKick(effects);
  return effects;
}

Effects Driver::SendStep() {
  Effects effects;
  if (!send_list_.empty() && AddToRing(effects)) {
    effects.more = true;
    return effects;
  }
  waits_for_ring_ = !send_list_.empty();
  send_work_pending_ = waits_for_ring_;
  DecideKick(effects);
  return effects;
}

// False if the ring has no room; the packet stays at the head of the list.
bool Driver::AddToRing(Effects& effects) {
  if (tx_stopped_ || free_places_.empty()) return false;
  const Packet& packet = *send_list_.front();
  const size_t place = free_places_.back();
  std::memcpy(tx_places_.bytes(place), &packet.hdr, kHdrBytes);
  std::array<DriverQueue::Buffer, 2> buffers;
  buffers[0] = {tx_places_.address(place), kHdrBytes};
  buffers[1] = {buffers[0].addr + kHdrBytes, packet.hdr.len};
  if (packet.block != nullptr) {
    buffers[1].addr = pool_.arena()->AddressOf(packet.data);
  } else {
    std::memcpy(tx_places_.bytes(place) + kHdrBytes, packet.data,
                pool_.Kept(packet.hdr.len));
  }
  const size_t count = packet.hdr.len == 0 ? 1 : 2;
  if (tx_.Add(absl::MakeSpan(buffers).first(count), {}, place) !=
      DriverQueue::AddResult::kAdded) {
    return false;
  }
  kick_needed_ |= tx_.Publish();
  added_since_kick_ = true;
  ++tx_added_;
  free_places_.pop_back();
  in_tx_ring_[place] = send_list_.PopFront();
  effects.work.packets += 1;
  effects.work.descriptors += static_cast<uint32_t>(count);
  if (rx_stalled_ && send_list_.replies() < rx_.size()) {
    rx_stalled_ = false;
    effects.run_rx_work = true;
  }
  return true;
}

void Driver::DecideKick(Effects& effects) {
  if (!added_since_kick_) return;
  effects.kick_tx |= kick_needed_;
  ++(kick_needed_ ? effects.work.kicks : effects.work.kicks_suppressed);
  added_since_kick_ = kick_needed_ = false;
}

Effects Driver::ReclaimStep() {
  Effects effects;
  do {
    tx_.DisableNotifications();
    while (const auto used = tx_.Collect()) {
      const PacketPtr packet = std::move(in_tx_ring_[used->token]);
      free_places_.push_back(static_cast<uint16_t>(used->token));
      effects.work += transport_.OnSent(*packet);
      effects.work.descriptors += 1;
    }
  } while (tx_.status().ok() && tx_.EnableNotifications());
  if (waits_for_ring_ && !free_places_.empty()) {
    waits_for_ring_ = false;
    effects.run_send_work = true;
  }
  return effects;
}

// Receiving.

Effects Driver::RxStep(Instant now) {
  Effects effects;
  if (!rx_running_) {
    rx_running_ = true;
    rx_.DisableNotifications();
  }
  if (rx_in_hand_ != nullptr) {
    effects.work += transport_.Deliver(std::move(rx_in_hand_), now);
    effects += Submit();
  }
  effects.more = true;
  if (send_list_.replies() >= rx_.size()) {  // 5.10.6.1: no memory for more
    rx_stalled_ = true;
    effects.more = false;
  } else if (!rx_taken_.empty()) {
    rx_in_hand_ = rx_taken_.PopFront();
    effects.work.packets += 1;
  } else if (TakeNext(rx_in_hand_)) {
    effects.work.packets += 1;
    effects.work.descriptors += 1;
  } else if (!rx_.status().ok() || !rx_.EnableNotifications()) {
    rx_running_ = false;
    effects.more = false;
  } else {
    rx_.DisableNotifications();
  }
  if (!effects.more && rx_.in_flight() < rx_.size() / 2u) Refill(effects);
  return effects;
}

bool Driver::TakeNext(PacketPtr& packet) {
  const auto used = rx_.Collect();
  if (!used.has_value()) return false;
  packet = TakeUp(*used);
  return true;
}

const std::byte* Driver::RxBytes(size_t place) const {
  return rx_blocks_[place] != nullptr ? rx_blocks_[place]
                                      : rx_places_.bytes(place);
}

// The packet in a used buffer; null if there is none that can be right.
PacketPtr Driver::TakeUp(const DriverQueue::Used& used) {
  const size_t place = used.token;
  unposted_.push_back(static_cast<uint16_t>(place));
  VsockHdr hdr;  // 2.7.8.2: beyond used.len nothing may be read
  std::memcpy(&hdr, RxBytes(place), std::min(used.len, kHdrBytes));
  if (used.len < kHdrBytes || used.len > options_.rx_buffer_bytes ||
      hdr.len != used.len - kHdrBytes) {
    hdr.len = std::min<uint32_t>(  // what was there of it
        hdr.len, std::max(used.len, kHdrBytes) - kHdrBytes);
    losses_.Add(DropReason::kMalformed, hdr);
    return nullptr;
  }
  const uint32_t capacity = options_.rx_buffer_bytes - kHdrBytes;
  PacketPtr packet;
  if (rx_blocks_[place] != nullptr && hdr.len > 0) {
    packet = pool_.Adopt(std::exchange(rx_blocks_[place], nullptr),
                         options_.rx_buffer_bytes, kHdrBytes);
  } else {
    packet = pool_.Allocate(0);
    packet->capacity = capacity;
    std::memcpy(packet->data, RxBytes(place) + kHdrBytes, pool_.Kept(hdr.len));
  }
  packet->hdr = hdr;
  return packet;
}

void Driver::Refill(Effects& effects) {
  if (rx_stopped_) return;
  bool posted = false;
  rx_starved_ = false;
  while (!unposted_.empty() && Post(unposted_.back())) {
    unposted_.pop_back();
    effects.work.descriptors += 1;
    posted = true;
  }
  if (!posted) return;
  const bool notify = rx_.Publish();
  effects.kick_rx |= notify;
  ++(notify ? effects.work.kicks : effects.work.kicks_suppressed);
}

// False if there is no memory for a buffer, or no room in the ring.
bool Driver::Post(size_t place) {
  GuestAddr at = rx_places_.address(place);
  if (pool_.mode() == PayloadMode::kReal) {
    if (rx_blocks_[place] == nullptr) {
      rx_blocks_[place] = pool_.arena()->Allocate(options_.rx_buffer_bytes);
      if (rx_blocks_[place] == nullptr) {
        rx_starved_ = true;
        return false;
      }
    }
    at = pool_.arena()->AddressOf(rx_blocks_[place]);
  }
  const DriverQueue::Buffer buffer = {at, options_.rx_buffer_bytes};
  return rx_.Add({}, {&buffer, 1}, place) == DriverQueue::AddResult::kAdded;
}

}  // namespace vsock
