#include "sim/peers/net_driver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "virtqueue/check.h"
#include "virtqueue/ring_memory.h"

namespace sim {

using virtqueue::DriverQueue;
using virtqueue::OwnedGuestMemory;
using virtqueue::RingAddrs;

namespace {

// A frame and its header are one descriptor, so tables stay unused.
constexpr uint16_t kTableEntries = 2;

// What napi handles before Linux looks whether to post buffers again.
constexpr size_t kNapiBudget = 64;

DriverQueue::Options QueueOptions(const NetDriver::Options& options,
                                  OwnedGuestMemory& memory) {
  DriverQueue::Options queue = {.size = options.ring_size,
                                .event_idx = options.event_idx,
                                .indirect = options.indirect,
                                .in_order = options.in_order,
                                .indirect_table_entries = kTableEntries};
  virtqueue::AllocateIndirectTables(memory, queue);
  return queue;
}

uint32_t LongestFrame(const NetDriver::Options& options) {
  return kNetHdrBytes + kEthernetBytes + options.mtu;
}

BufferPlaces::Options TxPlaces(const NetDriver::Options& options) {
  return {.count = options.ring_size,
          .longest = LongestFrame(options),
          .payload = options.payload};
}

BufferPlaces::Options RxPlaces(const NetDriver::Options& options) {
  return {.count = options.ring_size,
          .longest = RxBufferBytes(options.mtu),
          .payload = options.payload};
}

}  // namespace

uint64_t NetDriver::MemoryBytes(const Options& options) {
  const uint64_t rings =
      2 * (virtqueue::RingBytes(options.ring_format, options.ring_size) +
           uint64_t{options.ring_size} * kTableEntries *
               virtqueue::kDescriptorBytes);
  return rings + TxPlaces(options).Bytes() + RxPlaces(options).Bytes() +
         1024;  // and what alignment costs
}

absl::StatusOr<std::unique_ptr<NetDriver>> NetDriver::Create(
    OwnedGuestMemory& memory, const Options& options,
    DatagramEndpoint& sockets) {
  const uint64_t rx_bytes =
      uint64_t{options.ring_size} * RxBufferBytes(options.mtu);
  if (LongestFrame(options) > rx_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("5.1.6.3.1: a ring of ", options.ring_size,
                     " rx buffers holds no frame of MTU ", options.mtu));
  }
  const RingAddrs tx_addrs =
      virtqueue::AllocateRing(memory, options.ring_format, options.ring_size);
  const RingAddrs rx_addrs =
      virtqueue::AllocateRing(memory, options.ring_format, options.ring_size);
  absl::StatusOr<DriverQueue> tx = DriverQueue::Create(
      memory.memory(), tx_addrs, QueueOptions(options, memory));
  if (!tx.ok()) return tx.status();
  absl::StatusOr<DriverQueue> rx = DriverQueue::Create(
      memory.memory(), rx_addrs, QueueOptions(options, memory));
  if (!rx.ok()) return rx.status();
  return std::unique_ptr<NetDriver>(
      new NetDriver(memory, options, sockets, tx_addrs, rx_addrs,
                    *std::move(tx), *std::move(rx)));
}

NetDriver::NetDriver(OwnedGuestMemory& memory, const Options& options,
                     DatagramEndpoint& sockets, const RingAddrs& tx_addrs,
                     const RingAddrs& rx_addrs, DriverQueue tx, DriverQueue rx)
    : options_(options),
      rx_buffer_bytes_(RxBufferBytes(options.mtu)),
      sockets_(sockets),
      tx_addrs_(tx_addrs),
      rx_addrs_(rx_addrs),
      tx_(std::move(tx)),
      tx_places_(memory, TxPlaces(options)),
      in_tx_ring_(options.ring_size),
      rx_(std::move(rx)),
      rx_places_(memory, RxPlaces(options)) {
  for (uint16_t i = options.ring_size; i > 0; --i) {
    free_places_.push_back(static_cast<uint16_t>(i - 1));
    unposted_.push_back(static_cast<uint16_t>(i - 1));
  }
  if (!options_.tx_napi) tx_.DisableNotifications();
  // Before DRIVER_OK: the device finds the buffers when it starts.
  NetEffects unannounced;
  Refill(unannounced);
}

absl::Status NetDriver::status() const {
  return tx_.status().ok() ? rx_.status() : tx_.status();
}

uint64_t NetDriver::ChargeHeld() const {
  uint64_t sum = 0;
  for (const NetFrame& frame : in_tx_ring_) sum += frame.send_charge;
  for (const NetFrame& frame : qdisc_) sum += frame.send_charge;
  return sum;
}

// Sending.

NetEffects NetDriver::Transmit(NetFrame frame) {
  NetEffects effects;
  if (!stopped_) Reclaim(effects);
  if (!stopped_ && AddToRing(frame, effects)) {
    DecideKick(effects);
    if (options_.tx_napi) AskForTxInterrupt(effects);
    return effects;
  }
  if (qdisc_.size() < options_.qdisc_frames) {
    qdisc_.push_back(std::move(frame));
    ++qdisc_in_;
  } else {
    sockets_.Release(frame.owner, std::exchange(frame.send_charge, 0));
    effects.dropped = std::move(frame);
  }
  return effects;
}

// False if the ring takes nothing now.
bool NetDriver::AddToRing(NetFrame& frame, NetEffects& effects) {
  const uint16_t place = free_places_.back();
  const NetHdr hdr;
  const absl::Span<std::byte> bytes = tx_places_.bytes(place);
  std::memcpy(bytes.data(), &hdr, kNetHdrBytes);
  std::memcpy(bytes.data() + kNetHdrBytes, frame.kept.data(),
              frame.kept.size());
  const DriverQueue::Buffer buffer = {tx_places_.address(place),
                                      kNetHdrBytes + frame.bytes};
  if (tx_.Add({&buffer, 1}, {}, place) != DriverQueue::AddResult::kAdded) {
    stopped_ = true;
    return false;
  }
  kick_needed_ |= tx_.Publish();
  added_since_kick_ = true;
  ++tx_added_;
  effects.work.descriptors += 1;
  free_places_.pop_back();
  if (!options_.tx_napi) {
    sockets_.Release(frame.owner, std::exchange(frame.send_charge, 0));
  }
  in_tx_ring_[place] = std::move(frame);
  if (free_places_.empty()) Stop(effects);
  return true;
}

void NetDriver::Stop(NetEffects& effects) {
  stopped_ = true;
  if (options_.tx_napi || !tx_.EnableNotificationsDelayed()) return;
  tx_.DisableNotifications();
  Reclaim(effects);
  stopped_ = free_places_.empty();
}

// Takes back everything the device has used.
void NetDriver::Reclaim(NetEffects& effects) {
  while (const auto used = tx_.Collect()) {
    NetFrame& frame = in_tx_ring_[used->token];
    sockets_.Release(frame.owner, std::exchange(frame.send_charge, 0));
    free_places_.push_back(static_cast<uint16_t>(used->token));
    effects.work.descriptors += 1;
  }
}

void NetDriver::DecideKick(NetEffects& effects) {
  if (!added_since_kick_) return;
  effects.kick_tx |= kick_needed_;
  ++(kick_needed_ ? effects.work.kicks : effects.work.kicks_suppressed);
  added_since_kick_ = kick_needed_ = false;
}

// As start_xmit does with napi: when three quarters are used.
void NetDriver::AskForTxInterrupt(NetEffects& effects) {
  while (tx_.status().ok() && tx_.EnableNotificationsDelayed()) {
    tx_.DisableNotifications();
    Reclaim(effects);
  }
  if (!free_places_.empty()) stopped_ = false;
}

// Napi.

NetEffects NetDriver::NapiStep() {
  NetEffects effects;
  effects.arrived = std::exchange(in_hand_, std::nullopt);
  rx_.DisableNotifications();
  do {
    ServeTx(effects);
    if (TakeUp(effects)) break;
  } while (!Rest(effects));
  effects.more = in_hand_.has_value();
  return effects;
}

void NetDriver::ServeTx(NetEffects& effects) {
  if (!interrupts_for_tx()) return;
  tx_.DisableNotifications();
  Reclaim(effects);
  if (!free_places_.empty() && tx_.status().ok()) stopped_ = false;
  while (!stopped_ && !qdisc_.empty() && AddToRing(qdisc_.front(), effects)) {
    qdisc_.pop_front();
  }
  DecideKick(effects);
}

// False if there is something to do after all.
bool NetDriver::Rest(NetEffects& effects) {
  Refill(effects);
  if (rx_.status().ok() && rx_.EnableNotifications()) {
    rx_.DisableNotifications();
    return false;
  }
  if (!interrupts_for_tx() || !tx_.status().ok()) return true;
  const bool used = options_.tx_napi ? tx_.EnableNotifications()
                                     : tx_.EnableNotificationsDelayed();
  return !used;
}

// Receiving.

// False if nothing is used.
bool NetDriver::TakeUp(NetEffects& effects) {
  while (const auto used = rx_.Collect()) {
    in_hand_ = Merge(*used, effects);
    if (unposted_.size() > std::min<size_t>(kNapiBudget, rx_.size()) / 2) {
      Refill(effects);
    }
    if (in_hand_.has_value()) return true;
  }
  return false;
}

// The frame that begins in `first`; nothing if its buffers do not make one.
std::optional<NetFrame> NetDriver::Merge(const DriverQueue::Used& first,
                                         NetEffects& effects) {
  NetHdr hdr;
  std::memcpy(&hdr, rx_places_.bytes(first.token).data(), kNetHdrBytes);
  NetFrame frame;
  uint32_t buffers = 0;
  bool lawful = first.len > kNetHdrBytes && hdr.num_buffers > 0;
  std::optional<DriverQueue::Used> used = first;
  for (;;) {
    const uint32_t from = buffers == 0 ? std::min(kNetHdrBytes, used->len) : 0;
    AppendPlace(used->token, from, used->len, frame);
    unposted_.push_back(static_cast<uint16_t>(used->token));
    if (++buffers >= hdr.num_buffers) break;
    used = rx_.Collect();
    if (!used.has_value()) break;
  }
  lawful &= buffers == hdr.num_buffers;
  effects.work.descriptors += buffers;
  ++(lawful ? rx_taken_ : rx_malformed_);
  if (!lawful) return std::nullopt;
  effects.work.allocations += 1;
  effects.stack.packets += 1;
  frame.receive_charge = RxTrueSize(buffers, rx_buffer_bytes_);
  return frame;
}

// Bytes [from, to) of the buffer at `place`, as far as they are held.
void NetDriver::AppendPlace(size_t place, uint32_t from, uint32_t to,
                            NetFrame& frame) {
  frame.bytes += to - from;
  const size_t most = KeptOfFrame(options_.payload, frame.bytes);
  const absl::Span<std::byte> bytes = rx_places_.bytes(place).subspan(from);
  const size_t count = std::min(most - frame.kept.size(), bytes.size());
  frame.kept.insert(frame.kept.end(), bytes.begin(),
                    bytes.begin() + static_cast<ptrdiff_t>(count));
}

void NetDriver::Refill(NetEffects& effects) {
  bool posted = false;
  while (!unposted_.empty()) {
    const DriverQueue::Buffer buffer = {rx_places_.address(unposted_.back()),
                                        rx_buffer_bytes_};
    if (rx_.Add({}, {&buffer, 1}, unposted_.back()) !=
        DriverQueue::AddResult::kAdded) {
      break;
    }
    unposted_.pop_back();
    effects.work.descriptors += 1;
    posted = true;
  }
  if (!posted) return;
  const bool notify = rx_.Publish();
  effects.kick_rx |= notify;
  ++(notify ? effects.work.kicks : effects.work.kicks_suppressed);
}

}  // namespace sim
