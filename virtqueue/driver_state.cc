#include "virtqueue/driver_state.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace virtqueue {
namespace {

using InFlight = DriverState::InFlight;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("driver state: ", what));
}

// Each number below the size, at most once.
class Numbers {
 public:
  explicit Numbers(uint16_t size) : taken_(size) {}

  bool Take(uint16_t number) {
    if (number >= taken_.size() || taken_[number]) return false;
    taken_[number] = true;
    return true;
  }

 private:
  std::vector<bool> taken_;
};

// The slots of `chains`; nothing if they have numbers or lengths that no chains
// have.
std::optional<uint64_t> TakeChains(const std::vector<InFlight>& chains,
                                   RingFormat format, Numbers& numbers) {
  uint64_t slots = 0;
  for (const InFlight& chain : chains) {
    const size_t linked =
        format == RingFormat::kSplit ? size_t{chain.slots} - 1 : 0;
    if (chain.slots == 0 || chain.linked.size() != linked) return std::nullopt;
    if (!numbers.Take(chain.id)) return std::nullopt;
    for (const uint16_t number : chain.linked) {
      if (!numbers.Take(number)) return std::nullopt;
    }
    slots += chain.slots;
  }
  return slots;
}

// All others are free, unless the half is in quarantine.
absl::Status CheckFree(const DriverState& state, size_t taken,
                       Numbers& numbers) {
  const size_t left = state.fault.empty() ? state.size - taken : 0;
  if (state.free.size() != left) return Wrong("free ones are not the others");
  for (const uint16_t number : state.free) {
    if (!numbers.Take(number)) return Wrong("a free one is taken or is none");
  }
  return absl::OkStatus();
}

// Of all chains and of what is free, in that order.
std::vector<uint16_t> NumbersOf(const DriverState& state) {
  std::vector<uint16_t> numbers;
  for (const InFlight& chain : state.in_flight) {
    numbers.push_back(chain.id);
    numbers.insert(numbers.end(), chain.linked.begin(), chain.linked.end());
  }
  numbers.insert(numbers.end(), state.free.begin(), state.free.end());
  return numbers;
}

absl::Status CheckSplit(const DriverState& state) {
  const auto with_device =
      static_cast<uint16_t>(state.published - state.next_used);
  if (with_device != state.in_flight.size() - state.unpublished) {
    return Wrong("chains are not as many as were published and not collected");
  }
  if (state.held.has_value()) return Wrong("descriptor of a packed ring");
  return absl::OkStatus();
}

absl::Status CheckHeld(const DriverState& state) {
  constexpr uint16_t kKnown =
      kDescAvail | kDescUsed | kDescNext | kDescWrite | kDescIndirect;
  const PackedTail& held = *state.held;
  const InFlight& first =
      state.in_flight[state.in_flight.size() - state.unpublished];
  if (held.id != first.id || (held.flags & ~kKnown) != 0 ||
      AvailAndUsed(held.flags) !=
          PackedPosition::Of(state.published).available()) {
    return Wrong("held descriptor is not the first of the batch");
  }
  return absl::OkStatus();
}

absl::Status CheckPacked(const DriverState& state, uint64_t slots) {
  uint64_t added = 0;
  for (size_t i = 0; i < state.unpublished; ++i) {
    added += state.in_flight[state.in_flight.size() - 1 - i].slots;
  }
  const std::optional<uint32_t> with_device =
      PackedSlotsBetween(state.next_used, state.published, state.size);
  if (!with_device.has_value() || *with_device != slots - added) {
    return Wrong("chains have not the slots published and not collected");
  }
  if (state.held.has_value() != (state.unpublished != 0)) {
    return Wrong("a descriptor is held without a batch, or a batch without it");
  }
  return state.held.has_value() ? CheckHeld(state) : absl::OkStatus();
}

}  // namespace

absl::Status CheckDriverState(const DriverState& state, RingFormat format,
                              uint16_t size) {
  if (state.format != format) return Wrong("of the other ring format");
  if (state.size != size) return Wrong("of another queue size");
  if (state.unpublished > state.in_flight.size()) {
    return Wrong("more chains unpublished than added");
  }
  Numbers numbers(size);
  const std::optional<uint64_t> slots =
      TakeChains(state.in_flight, format, numbers);
  if (!slots.has_value() || *slots > size) {
    return Wrong("chains that no ring of that size has");
  }
  const bool packed = format == RingFormat::kPacked;
  absl::Status status =
      CheckFree(state, packed ? state.in_flight.size() : *slots, numbers);
  status.Update(packed ? CheckPacked(state, *slots) : CheckSplit(state));
  return status;
}

absl::Status CheckOrder(const DriverState& state, bool in_order) {
  if (!in_order) {
    return state.batch == 0 ? absl::OkStatus()
                            : Wrong("a batch, but not in order");
  }
  if (state.batch != 0 && !state.fault.empty()) {
    return Wrong("a batch, but quarantined");
  }
  if (state.batch + size_t{state.unpublished} > state.in_flight.size()) {
    return Wrong("a batch of more chains than the device has");
  }
  if (state.batch != 0 &&
      state.batch_len > state.in_flight[state.batch - 1u].writable_bytes) {
    return Wrong("used len is more than the chain can hold");
  }
  const std::vector<uint16_t> numbers = NumbersOf(state);
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != (numbers[i - 1] + 1u) % state.size) {
      return Wrong("numbers do not follow one another");
    }
  }
  return absl::OkStatus();
}

std::ostream& operator<<(std::ostream& out, const DriverState& state) {
  out << (state.format == RingFormat::kPacked ? "packed " : "split ")
      << state.size << " published " << state.published << " next_used "
      << state.next_used << " unpublished " << state.unpublished;
  if (state.held.has_value()) out << " held " << *state.held;
  out << " notifications_enabled " << state.notifications_enabled << " fault \""
      << state.fault << "\" in_flight";
  for (const InFlight& chain : state.in_flight) {
    out << " {token " << chain.token << " writable_bytes "
        << chain.writable_bytes << " id " << chain.id << " slots "
        << chain.slots << " linked";
    for (const uint16_t number : chain.linked) out << ' ' << number;
    out << '}';
  }
  out << " batch " << state.batch << " batch_len " << state.batch_len
      << " free";
  for (const uint16_t number : state.free) out << ' ' << number;
  return out;
}

}  // namespace virtqueue
