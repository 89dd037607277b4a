#include "virtqueue/device_state.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace virtqueue {
namespace {

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("device state: ", what));
}

// Popped and not pushed.
size_t ChainsOf(const DeviceState& state) {
  return state.put_back.size() + state.in_flight.size() +
         state.completed.size();
}

absl::Status CheckSplitChains(const DeviceState& state) {
  for (const ChainState& chain : state.put_back) {
    if (chain != ChainState{.id = chain.id, .turn = chain.turn}) {
      return Wrong("a chain put back has more than a head");
    }
    if (chain.id >= state.size) return Wrong("head beyond the queue size");
  }
  for (const ChainState& chain : state.in_flight) {
    if (chain.slots != 0) return Wrong("chain of a packed ring");
    if (chain.id >= state.size) return Wrong("head beyond the queue size");
  }
  for (const CompletionOrder::Waiting& chain : state.completed) {
    if (chain.completed.slots != 0) return Wrong("chain of a packed ring");
    if (chain.completed.id >= state.size) {
      return Wrong("head beyond the queue size");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSplit(const DeviceState& state) {
  const auto pushed = static_cast<uint16_t>(state.next_used - state.published);
  const auto left =
      static_cast<uint16_t>(state.next_available - state.next_used);
  if (uint32_t{pushed} + left > state.size) {
    return Wrong("popped more than the queue size");
  }
  if (size_t{left} != ChainsOf(state)) {
    return Wrong("chains are not as many as were popped and not pushed");
  }
  if (state.held.has_value()) return Wrong("used descriptor of a packed ring");
  return CheckSplitChains(state);
}

// What `chains` add to `slots`, each within the ring.
absl::Status AddSlots(const std::vector<ChainState>& chains, uint16_t size,
                      uint64_t& slots) {
  for (const ChainState& chain : chains) {
    if (chain.slots == 0 || chain.slots > size) {
      return Wrong("chain of no slots, or of more than the queue size");
    }
    if (chain.slots != 1 && chain.slots != chain.descriptors) {
      return Wrong("chain has more slots than descriptors");
    }
    slots += chain.slots;
  }
  return absl::OkStatus();
}

absl::Status AddSlots(const std::vector<CompletionOrder::Waiting>& chains,
                      uint16_t size, uint64_t& slots) {
  for (const CompletionOrder::Waiting& chain : chains) {
    if (chain.completed.slots == 0 || chain.completed.slots > size) {
      return Wrong("chain of no slots, or of more than the queue size");
    }
    slots += chain.completed.slots;
  }
  return absl::OkStatus();
}

absl::Status CheckHeld(const DeviceState& state) {
  constexpr uint16_t kKnown = kDescAvail | kDescUsed | kDescWrite;
  const uint16_t used = PackedPosition::Of(state.published).used();
  if (AvailAndUsed(state.held->flags) != used ||
      (state.held->flags & ~kKnown) != 0) {
    return Wrong("held descriptor is not a used one of its lap");
  }
  return absl::OkStatus();
}

absl::Status CheckPacked(const DeviceState& state) {
  const std::optional<uint32_t> pushed =
      PackedSlotsBetween(state.published, state.next_used, state.size);
  const std::optional<uint32_t> left =
      PackedSlotsBetween(state.next_used, state.next_available, state.size);
  if (!pushed.has_value() || !left.has_value() ||
      *pushed + *left > state.size) {
    return Wrong("positions that no ring of that size has");
  }
  uint64_t slots = 0;
  absl::Status status = AddSlots(state.put_back, state.size, slots);
  status.Update(AddSlots(state.in_flight, state.size, slots));
  status.Update(AddSlots(state.completed, state.size, slots));
  if (!status.ok()) return status;
  if (slots != *left) {
    return Wrong("chains have not the slots that were popped and not pushed");
  }
  if (state.held.has_value() != (*pushed != 0)) {
    return Wrong("a descriptor is held without a batch, or a batch without it");
  }
  return state.held.has_value() ? CheckHeld(state) : absl::OkStatus();
}

void Print(std::ostream& out, const std::vector<ChainState>& chains) {
  for (const ChainState& chain : chains) out << ' ' << chain;
}

}  // namespace

absl::Status CheckDeviceState(const DeviceState& state, RingFormat format,
                              uint16_t size) {
  if (state.format != format) return Wrong("of the other ring format");
  if (state.size != size) return Wrong("of another queue size");
  return format == RingFormat::kPacked ? CheckPacked(state) : CheckSplit(state);
}

absl::Status CheckTurns(const DeviceState& state, bool in_order) {
  if (!in_order) {
    return state.completed.empty() ? absl::OkStatus()
                                   : Wrong("a chain waits, but not in order");
  }
  if (state.oldest_turn >= state.size) return Wrong("turn beyond the size");
  if (state.next_used != state.published) {
    return Wrong("in order a chain is pushed by Publish alone");
  }
  std::vector<bool> turns(ChainsOf(state));
  bool good = true;
  const auto take = [&](uint16_t turn) {
    const size_t place =
        (size_t{turn} + state.size - state.oldest_turn) % state.size;
    good = good && turn < state.size && place < turns.size() && !turns[place];
    if (good) turns[place] = true;
  };
  for (const ChainState& chain : state.put_back) take(chain.turn);
  for (const ChainState& chain : state.in_flight) take(chain.turn);
  for (const auto& chain : state.completed) take(chain.turn);
  return good ? absl::OkStatus() : Wrong("turns do not follow one another");
}

DeviceState IdleDeviceState(RingFormat format, uint16_t size, uint32_t base) {
  const auto available = static_cast<uint16_t>(base);
  const auto used = format == RingFormat::kPacked
                        ? static_cast<uint16_t>(base >> 16)
                        : available;
  return {.format = format,
          .size = size,
          .next_available = available,
          .next_used = used,
          .published = used};
}

std::optional<uint32_t> VringBase(const DeviceState& state) {
  if (state.next_available != state.published) return std::nullopt;
  if (state.format == RingFormat::kSplit) return state.next_available;
  return state.next_available | uint32_t{state.next_used} << 16;
}

std::ostream& operator<<(std::ostream& out, const DeviceState& state) {
  out << (state.format == RingFormat::kPacked ? "packed " : "split ")
      << state.size << " next_available " << state.next_available
      << " next_used " << state.next_used << " published " << state.published;
  if (state.held.has_value()) out << " held " << *state.held;
  out << " notifications_enabled " << state.notifications_enabled << " fault \""
      << state.fault << "\" put_back";
  Print(out, state.put_back);
  out << " in_flight";
  Print(out, state.in_flight);
  out << " oldest_turn " << state.oldest_turn << " completed";
  for (const auto& [turn, completed] : state.completed) {
    out << " {turn " << turn << " id " << completed.id << " slots "
        << completed.slots << " written " << completed.written << " whole "
        << completed.whole << '}';
  }
  return out;
}

}  // namespace virtqueue
