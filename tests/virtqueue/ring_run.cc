#include "tests/virtqueue/ring_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "virtqueue/check.h"
#include "virtqueue/ring_memory.h"

using virtqueue::Chain;
using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;

namespace {

DriverQueue::Options OptionsOf(const RingRun::Ring& ring,
                               virtqueue::OwnedGuestMemory& memory) {
  DriverQueue::Options options = {
      .size = ring.size,
      .event_idx = ring.event_idx,
      .indirect = ring.indirect_table_entries != 0,
      .in_order = ring.in_order,
      .indirect_table_entries = ring.indirect_table_entries};
  virtqueue::AllocateIndirectTables(memory, options);
  return options;
}

DeviceQueue::Options DeviceOptionsOf(const RingRun::Ring& ring) {
  return {.size = ring.size,
          .event_idx = ring.event_idx,
          .indirect = ring.indirect_table_entries != 0,
          .in_order = ring.in_order};
}

}  // namespace

RingRun::RingRun(const Ring& ring)
    : ring_(ring),
      memory_(*virtqueue::OwnedGuestMemory::Create(1 << 17)),
      base_(memory_.Allocate(0, virtqueue::kCacheLine)),
      addrs_(virtqueue::AllocateRing(memory_, ring.format, ring.size)),
      options_(OptionsOf(ring, memory_)),
      buffers_(memory_.Allocate(kBufferBytes, virtqueue::kCacheLine)),
      driver_(*DriverQueue::Create(memory_.memory(), addrs_, options_)),
      device_(*DeviceQueue::Create(memory_.memory(), addrs_,
                                   DeviceOptionsOf(ring))) {}

void RingRun::Step(uint64_t number) {
  said_.clear();
  const uint64_t rest = number / 16;
  switch (number % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      return Add(rest);
    case 4:
    case 5:
      return Note(driver_.Publish());
    case 6:
    case 7:
    case 8:
      return Pop();
    case 9:
    case 10:
      return Push(rest);
    case 11:
      return Note(device_.Publish());
    case 12:
    case 13:
    case 14:
      return Collect();
    default:
      return Suppress(rest);
  }
}

absl::Span<const std::byte> RingRun::bytes() const {
  const uint64_t end = buffers_.value() + kBufferBytes;
  return *memory_.memory().Slice(base_,
                                 static_cast<uint32_t>(end - base_.value()));
}

virtqueue::DeviceState RingRun::SaveDevice() const {
  std::vector<const Chain*> held;
  for (const Chain& chain : held_) held.push_back(&chain);
  return device_.Save(held);
}

void RingRun::RestoreDriver() { VSOCK_CHECK(Restore(driver_.Save()).ok()); }

void RingRun::RestoreDevice() { VSOCK_CHECK(Restore(SaveDevice()).ok()); }

void RingRun::RestoreFrom(const RingRun& other) {
  const absl::Span<const std::byte> from = other.bytes();
  const absl::Span<std::byte> to =
      memory_.memory().TrySlice(base_, static_cast<uint32_t>(from.size()));
  std::copy(from.begin(), from.end(), to.begin());
  VSOCK_CHECK(Restore(other.SaveDriver()).ok());
  VSOCK_CHECK(Restore(other.SaveDevice()).ok());
  collected_ = other.collected_;
}

absl::Status RingRun::Restore(const virtqueue::DriverState& state) {
  auto restored =
      DriverQueue::Restore(memory_.memory(), addrs_, options_, state);
  if (restored.ok()) driver_ = *std::move(restored);
  return restored.status();
}

absl::Status RingRun::Restore(const virtqueue::DeviceState& state) {
  auto restored = DeviceQueue::Restore(memory_.memory(), addrs_,
                                       DeviceOptionsOf(ring_), state);
  if (!restored.ok()) return restored.status();
  device_ = std::move(restored->queue);
  held_.clear();
  for (Chain& chain : restored->in_flight) held_.push_back(std::move(chain));
  return absl::OkStatus();
}

// As many buffers as the number says, of lengths that it says; some of none.
RingRun::Buffers RingRun::BuffersOf(uint64_t number, uint32_t most) const {
  Buffers buffers(number % (most + 1));
  for (DriverQueue::Buffer& buffer : buffers) {
    number = number / 7 + 11;
    buffer.len = static_cast<uint32_t>(number % 60);
    buffer.addr = buffers_ + number % (kBufferBytes - 60);
  }
  return buffers;
}

void RingRun::Add(uint64_t number) {
  const bool one = number % 2 == 0;
  const Buffers readable = BuffersOf(number / 2, one ? 0 : 4);
  const Buffers writable = BuffersOf(one ? 1 : number / 10, one ? 1 : 4);
  Note(static_cast<uint64_t>(driver_.Add(readable, writable, number)));
  Note(driver_.free_descriptors());
}

void RingRun::Pop() {
  Chain chain;
  Note(static_cast<uint64_t>(device_.Pop(chain)));
  if (!chain.pending()) return;
  const virtqueue::ChainState state = chain.Save(memory_.memory());
  Note(state.id);
  Note(state.descriptors);
  NoteAll(state.readable);
  NoteAll(state.writable);
  held_.push_back(std::move(chain));
}

void RingRun::NoteAll(const std::vector<virtqueue::ChainState::Piece>& pieces) {
  Note(pieces.size());
  for (const virtqueue::ChainState::Piece& piece : pieces) {
    Note(piece.at.value());
    Note(piece.len);
  }
}

// Any of those held; now and then it is put back.
void RingRun::Push(uint64_t number) {
  if (held_.empty()) return;
  const auto which = static_cast<std::ptrdiff_t>(number % held_.size());
  Chain chain = std::move(held_[static_cast<size_t>(which)]);
  held_.erase(held_.begin() + which);
  if (number / 64 % 8 == 0) return device_.UnPop(chain);
  const std::byte written = std::byte(number / 512);
  chain.CopyTo(0, {&written, 1});
  device_.Push(chain, static_cast<uint32_t>(chain.writable_bytes() / 2));
}

void RingRun::Collect() {
  const std::optional<DriverQueue::Used> used = driver_.Collect();
  Note(used.has_value());
  if (!used.has_value()) return;
  Note(used->token);
  Note(used->len);
  ++collected_;
}

void RingRun::Suppress(uint64_t number) {
  switch (number % 5) {
    case 0:
      return Note(driver_.EnableNotifications());
    case 1:
      return Note(driver_.EnableNotificationsDelayed());
    case 2:
      return driver_.DisableNotifications();
    case 3:
      return Note(device_.EnableNotifications());
    default:
      return device_.DisableNotifications();
  }
}
