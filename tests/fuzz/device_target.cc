#include "tests/fuzz/device_target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tests/fuzz/arena.h"
#include "tests/fuzz/intruder.h"
#include "tests/fuzz/naive_chain.h"
#include "tests/fuzz/naive_device.h"
#include "tests/fuzz/ring_map.h"
#include "tests/fuzz/run_script.h"
#include "virtqueue/chain.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/device_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"

namespace fuzz {
namespace {

using virtqueue::Chain;
using virtqueue::ChainState;
using virtqueue::DeviceQueue;
using virtqueue::DeviceState;
using PopResult = DeviceQueue::PopResult;

constexpr size_t kChains = 8;
constexpr uint32_t kTouched = 16;  // bytes at either end of a span
constexpr uint64_t kFewAccesses = 8;

class Harness {
 public:
  explicit Harness(const QueueSpec& queue)
      : queue_(queue),
        arena_(queue),
        map_(arena_.addrs(), queue),
        options_{.size = queue.size,
                 .event_idx = queue.event_idx,
                 .indirect = queue.indirect,
                 .in_order = queue.in_order},
        device_(
            *DeviceQueue::Create(arena_.memory(), arena_.addrs(), options_)),
        naive_(NaiveDevice::Make(arena_, queue_)) {}

  // The raw driver.
  void Poke(const Args& args) {
    arena_.Write(args[0], static_cast<uint32_t>(args[1]), args[2]);
    scribbled_ = true;
  }
  void Entry(const Args& args) { Write(args[0], ToDesc(&args[1])); }
  void Desc(const Args& args) { Write(map_.desc(args[0]), ToDesc(&args[1])); }
  void Give(const Args& args) {
    WireDesc desc = ToDesc(&args[0]);
    desc.flags ^= give_at_.available();
    Write(map_.desc(give_at_.slot), desc);
    give_at_.Step(1, queue_.size);
  }
  void Offer(const Args& args) {
    const uint64_t idx = arena_.Read(map_.avail_idx(), 2);
    arena_.Write(map_.head(idx), 2, args[0]);
    arena_.Write(map_.avail_idx(), 2, idx + 1);
  }
  void Head(const Args& args) { arena_.Write(map_.head(args[0]), 2, args[1]); }
  void AvailIdx(const Args& args) {
    arena_.Write(map_.avail_idx(), 2, args[0]);
  }
  void AvailFlags(const Args& args) {
    arena_.Write(map_.avail_flags(), 2, args[0]);
  }
  void UsedEvent(const Args& args) {
    arena_.Write(map_.used_event(), 2, args[0]);
  }
  void DriverEvents(const Args& args) {
    arena_.Write(map_.driver_events(), 2, args[0]);
    arena_.Write(map_.driver_events() + 2, 2, args[1]);
  }

  // Another processor.
  void During(const Args& args) {
    intruder_.Plan(args[0], {.at = args[1],
                             .bytes = static_cast<uint32_t>(args[2]),
                             .value = args[3]});
  }

  // The device half, and who owns it.
  void Pop(const Args& args);
  void Push(const Args& args);
  void UnPop(const Args& args);
  void Publish(const Args& args);
  void Enable(const Args& args);
  void Disable(const Args& args);
  void Peek(const Args& args);
  void Touch(const Args& args);
  void Renew(const Args& args);
  void Mangle(const Args& args);
  void Base(const Args& args);
  void Reset(const Args& args);

  // After each call.
  void CheckState();

  Outcome outcome;

 private:
  struct Held {
    Chain chain;
    NaiveChain naive;
    bool stale = false;  // popped before a reset

    bool InFlight() const { return chain.pending() && !stale; }
  };

  static WireDesc ToDesc(const uint64_t* args) {
    return {.addr = args[0],
            .len = static_cast<uint32_t>(args[1]),
            .flags = static_cast<uint16_t>(args[2]),
            .next_or_id = static_cast<uint16_t>(args[3])};
  }
  void Write(uint64_t at, const WireDesc& desc) {
    WriteDesc(arena_, queue_.format, at, desc);
    scribbled_ = true;
  }

  // The chains in flight, and what they are saved as together with the rest.
  std::vector<Held*> InFlight();
  DeviceState Save();
  // False, and all is as before, if there is no such queue.
  bool Restore(const DeviceState& state);

  bool IsAsExpected(const Held& held, PopResult result,
                    PopResult expected) const;
  void Describe(const Held& held, PopResult result);
  void CheckInMemory(const std::vector<Extent>& extents);
  void CheckWords(const std::vector<Word>& words);
  void CheckFound(bool before, bool found);
  // After a call of the device half.
  void CheckCall(const std::vector<Extent>& may_change, uint64_t most_accesses);
  void CheckMemory(const std::vector<Extent>& may_change);

  // Of a walk: N descriptors in a table at an odd address, each byte by itself,
  // and a few words to get there.
  uint64_t MostAccesses() const {
    return 18 * (uint64_t{queue_.size} + 1) + kFewAccesses;
  }

  // Where spans are, and where the buffers are in regions.
  template <typename Spans>
  std::vector<Extent> ExtentsOf(const Spans& spans) const {
    std::vector<Extent> extents;
    for (const auto& span : spans) {
      extents.push_back({arena_.AddressOf(span.data()), span.size()});
    }
    return extents;
  }
  std::vector<Extent> PiecesOf(const std::vector<Extent>& extents) const;

  const QueueSpec queue_;
  Arena arena_;
  Intruder intruder_{arena_};
  const RingMap map_;
  const DeviceQueue::Options options_;
  DeviceQueue device_;
  std::unique_ptr<NaiveDevice> naive_;
  std::array<Held, kChains> held_;
  PackedPlace give_at_;     // the raw driver's place in a packed ring
  bool scribbled_ = false;  // over what was pushed and is not published
  // Memory changed while it was read, and what came of it was neither of before
  // nor of after: naive_ does not know how to go on.
  bool lost_ = queue_.in_order;
};

std::string ToString(const std::vector<Extent>& extents) {
  return absl::StrJoin(extents, " ", [](std::string* out, const Extent& e) {
    absl::StrAppend(out, "0x", absl::Hex(e.at), "+", e.bytes);
  });
}

bool ChangePiece(std::vector<ChainState::Piece>& pieces, bool at,
                 uint64_t value) {
  if (pieces.empty()) return false;
  ChainState::Piece& piece = pieces[value % pieces.size()];
  value /= pieces.size();
  if (at) {
    piece.at = virtqueue::GuestAddr(value);
  } else {
    piece.len = static_cast<uint32_t>(value);
  }
  return true;
}

// Changes a number of `chain`, if it has that.
bool ChangeField(ChainState& chain, uint64_t field, uint64_t value) {
  const auto word = static_cast<uint16_t>(value);
  switch (field % 8) {
    case 0:
      return chain.id = word, true;
    case 1:
      return chain.slots = word, true;
    case 2:
      return chain.descriptors = word, true;
    case 3:
      return chain.readable.push_back({}), true;
    case 4:
    case 5:
      return ChangePiece(chain.readable, field % 2 == 0, value);
    default:
      return ChangePiece(chain.writable, field % 2 == 0, value);
  }
}

// Changes a number of `state`, if it has that.
bool ChangeField(DeviceState& state, uint64_t field, uint64_t value) {
  const auto word = static_cast<uint16_t>(value);
  const auto change_chain = [&](std::vector<ChainState>& chains) {
    return !chains.empty() && ChangeField(chains[value % chains.size()],
                                          field / 8, value / chains.size());
  };
  switch (field % 8) {
    case 0:
      return state.next_available = word, true;
    case 1:
      return state.next_used = word, true;
    case 2:
      return state.published = word, true;
    case 3:
      state.held = {.len = static_cast<uint32_t>(value >> 32),
                    .id = static_cast<uint16_t>(value >> 16),
                    .flags = word};
      return true;
    case 4:
      return state.held.reset(), true;
    case 5:
      return change_chain(state.put_back);
    default:
      return change_chain(state.in_flight);
  }
}

// If memory changed meanwhile, the answer may be that of before or of after.
void Harness::Pop(const Args& args) {
  Held& held = held_[args[0]];
  if (held.chain.pending()) return;
  std::unique_ptr<NaiveDevice> late;
  if (intruder_.planned()) late = naive_->Clone();
  held.stale = false;
  const PopResult expected = naive_->Pop(held.naive);
  const PopResult result =
      intruder_.Watch([&] { return device_.Pop(held.chain); });
  CheckCall({}, MostAccesses());
  if (late && intruder_.struck() && !IsAsExpected(held, result, expected)) {
    naive_ = std::move(late);
    const PopResult after = naive_->Pop(held.naive);
    lost_ = lost_ || !IsAsExpected(held, result, after);
  } else {
    outcome.Demand(lost_ || IsAsExpected(held, result, expected),
                   "Pop answers what memory says");
  }
  Describe(held, result);
}

bool Harness::IsAsExpected(const Held& held, PopResult result,
                           PopResult expected) const {
  if (result != expected) return false;
  if (result != PopResult::kChain) return true;
  return held.chain.head() == held.naive.id &&
         held.chain.descriptors() == held.naive.descriptors &&
         ExtentsOf(held.chain.readable()) == PiecesOf(held.naive.readable) &&
         ExtentsOf(held.chain.writable()) == PiecesOf(held.naive.writable);
}

void Harness::Describe(const Held& held, PopResult result) {
  if (result == PopResult::kEmpty) return outcome.Say("empty");
  if (result == PopResult::kBroken) {
    return outcome.Say("broken: ", device_.status().message());
  }
  const std::vector<Extent> readable = ExtentsOf(held.chain.readable());
  const std::vector<Extent> writable = ExtentsOf(held.chain.writable());
  CheckInMemory(readable);
  CheckInMemory(writable);
  outcome.Say("chain ", held.chain.head(), ": ", ToString(readable), " / ",
              ToString(writable));
}

void Harness::CheckInMemory(const std::vector<Extent>& extents) {
  for (const Extent& extent : extents) {
    const std::optional<Arena::Pieces> pieces = arena_.Find(extent);
    outcome.Demand(pieces && pieces->size() == 1,
                   "each span is in one region of memory");
  }
}

std::vector<Extent> Harness::PiecesOf(
    const std::vector<Extent>& extents) const {
  std::vector<Extent> found;
  for (const Extent& extent : extents) {
    const Arena::Pieces pieces = *arena_.Find(extent);
    for (const absl::Span<std::byte> piece : pieces) {
      found.push_back({arena_.AddressOf(piece.data()), piece.size()});
    }
  }
  return found;
}

void Harness::Push(const Args& args) {
  Held& held = held_[args[0]];
  if (!held.chain.pending()) return;
  const auto written =
      static_cast<uint32_t>(std::min(args[1], held.chain.writable_bytes()));
  if (!held.stale) naive_->Push(held.naive, written);
  intruder_.Watch([&] { device_.Push(held.chain, written); });
  CheckCall(held.stale ? std::vector<Extent>() : map_.DevicePushes(),
            MostAccesses());
  outcome.Say("pushed, ", written);
}

void Harness::UnPop(const Args& args) {
  Held& held = held_[args[0]];
  if (!held.chain.pending()) return;
  if (!held.stale) naive_->UnPop(held.naive);
  intruder_.Watch([&] { device_.UnPop(held.chain); });
  CheckCall({}, kFewAccesses);
  outcome.Say("put back");
}

void Harness::Publish(const Args&) {
  std::vector<Word> words;
  const std::unique_ptr<NaiveDevice> late = naive_->Clone();
  const std::optional<bool> before = naive_->Publish(words);
  const bool works = device_.status().ok();
  const bool notify = intruder_.Watch([&] { return device_.Publish(); });
  CheckCall(works ? map_.DevicePublishes() : std::vector<Extent>(),
            MostAccesses());
  CheckWords(words);
  const std::optional<bool> after = late->Publish(words);
  outcome.Demand(lost_ || before.value_or(notify) == notify ||
                     after.value_or(notify) == notify,
                 "Publish says whether to notify");
  scribbled_ = false;
  outcome.Say(notify ? "notify" : "quiet");
}

void Harness::CheckWords(const std::vector<Word>& words) {
  if (lost_ || scribbled_) return;
  for (const Word& word : words) {
    outcome.Demand(arena_.Read(word.at, word.bytes) == word.value,
                   "the used ring shows what was pushed");
  }
}

void Harness::Enable(const Args&) {
  const bool before = naive_->HasAvailable();
  const bool found =
      intruder_.Watch([&] { return device_.EnableNotifications(); });
  CheckCall(map_.DeviceWishes(), kFewAccesses);
  CheckFound(before, found);
}

void Harness::Disable(const Args&) {
  intruder_.Watch([&] { device_.DisableNotifications(); });
  CheckCall(map_.DeviceWishes(), kFewAccesses);
}

void Harness::Peek(const Args&) {
  const bool before = naive_->HasAvailable();
  const bool found = intruder_.Watch([&] { return device_.HasAvailable(); });
  CheckCall({}, kFewAccesses);
  CheckFound(before, found);
}

void Harness::CheckFound(bool before, bool found) {
  outcome.Demand(lost_ || found == before || found == naive_->HasAvailable(),
                 "what is available is found");
  outcome.Say(found ? "available" : "none");
}

// Reads and writes both ends of each span, as the owner of the chain may.
void Harness::Touch(const Args& args) {
  Held& held = held_[args[0]];
  if (!held.chain.pending()) return;
  std::array<std::byte, kTouched> bytes = {};
  const uint64_t readable = held.chain.readable_bytes();
  held.chain.CopyFrom(0, absl::MakeSpan(bytes));
  outcome.Say("read ", std::to_integer<int>(bytes[0]));
  held.chain.CopyFrom(readable - std::min<uint64_t>(readable, kTouched),
                      absl::MakeSpan(bytes));
  outcome.Say("read ", std::to_integer<int>(bytes[kTouched - 1]));
  bytes.fill(std::byte{0x5a});
  for (const absl::Span<std::byte> span : held.chain.writable()) {
    const size_t some = std::min<size_t>(span.size(), kTouched);
    std::copy_n(bytes.begin(), some, span.begin());
    std::copy_n(bytes.begin(), some, span.end() - some);
  }
  scribbled_ = true;
}

std::vector<Harness::Held*> Harness::InFlight() {
  std::vector<Held*> found;
  for (Held& held : held_) {
    if (held.InFlight()) found.push_back(&held);
  }
  return found;
}

DeviceState Harness::Save() {
  std::vector<const Chain*> chains;
  for (const Held* held : InFlight()) chains.push_back(&held->chain);
  return device_.Save(chains);
}

bool Harness::Restore(const DeviceState& state) {
  absl::StatusOr<DeviceQueue::Restored> restored =
      DeviceQueue::Restore(arena_.memory(), arena_.addrs(), options_, state);
  outcome.Say(restored.ok() ? "restored" : restored.status().message());
  if (!restored.ok()) return false;
  std::array<Held, kChains> held;
  size_t used = 0;
  for (const Held* each : InFlight()) {
    if (used == restored->in_flight.size()) break;
    held[used].naive = each->naive;
    held[used].chain = std::move(restored->in_flight[used]);
    ++used;
  }
  held_ = std::move(held);
  device_ = std::move(restored->queue);
  return true;
}

// Goes on from its own state.
void Harness::Renew(const Args&) {
  const DeviceState state = Save();
  const bool restored = Restore(state);
  naive_->Forget();
  CheckMemory({});
  outcome.Demand(restored, "Restore takes what Save gave");
  outcome.Demand(!restored || Save() == state, "and Save gives it again");
}

// Goes on from its own state with one number changed, if there is such a state.
void Harness::Mangle(const Args& args) {
  DeviceState state = Save();
  if (!ChangeField(state, args[0], args[1]) || !Restore(state)) return;
  lost_ = true;
  CheckMemory({});
}

// Goes on from where another device was, at the base of vhost-user; so does the
// raw driver.
void Harness::Base(const Args& args) {
  const auto base = static_cast<uint32_t>(args[0]);
  const DeviceState state =
      virtqueue::IdleDeviceState(queue_.format, queue_.size, base);
  held_ = {};
  if (!Restore(state)) {
    device_ = *DeviceQueue::Create(arena_.memory(), arena_.addrs(), options_);
    naive_ = NaiveDevice::Make(arena_, queue_);
    return;
  }
  CheckMemory({});
  naive_ = NaiveDevice::Make(arena_, queue_);
  naive_->StartAt(state.next_available);
  lost_ = queue_.in_order || state.next_available != state.next_used;
  give_at_ = PackedPlace::Of(state.next_available);
  if (queue_.format == virtqueue::RingFormat::kSplit) {
    arena_.Write(map_.avail_idx(), 2, base);
  }
}

// The driver resets the queue and sets it up again; what it left in memory
// stays.
void Harness::Reset(const Args&) {
  device_.Reset();
  Chain chain;
  outcome.Demand(device_.Pop(chain) == PopResult::kEmpty && !device_.Publish(),
                 "a queue that was reset does nothing");
  const absl::Status status =
      device_.Restart(arena_.memory(), arena_.addrs(), options_);
  CheckMemory({});
  outcome.Demand(status.ok(), "a queue that was reset starts again");
  for (Held& held : held_) held.stale = held.stale || held.chain.pending();
  naive_ = NaiveDevice::Make(arena_, queue_);
  give_at_ = {};
  lost_ = queue_.in_order;
}

void Harness::CheckCall(const std::vector<Extent>& may_change,
                        uint64_t most_accesses) {
  scribbled_ = scribbled_ || intruder_.struck();
  outcome.Demand(intruder_.accesses() <= most_accesses,
                 "a call takes no more steps than the ring has room for");
  CheckMemory(may_change);
}

void Harness::CheckMemory(const std::vector<Extent>& may_change) {
  const std::optional<uint64_t> changed = arena_.ChangedBut(may_change);
  if (!changed) return;
  outcome.Demand(false,
                 absl::StrCat("changed the byte at 0x", absl::Hex(*changed)));
}

void Harness::CheckState() {
  arena_.ChangedBut({});  // What the raw driver writes is no fault.
  const auto pending =
      std::count_if(held_.begin(), held_.end(),
                    [](const Held& held) { return held.InFlight(); });
  outcome.Demand(device_.in_flight() == pending,
                 "in_flight counts the chains in flight");
  outcome.Demand(device_.in_flight() <= queue_.size, "at most N in flight");
  if (!device_.status().ok()) outcome.DemandClause(device_.status());
  outcome.Demand(lost_ || device_.status().ok() != naive_->broken(),
                 "status tells whether the queue is broken");
}

const std::vector<Verb<Harness>>& Verbs() {
  using K = ArgKind;
  static const auto* const verbs = new std::vector<Verb<Harness>>{
      {{"poke", {K::kAddr, K::kWidth, K::kValue}}, &Harness::Poke},
      {{"entry", {K::kAddr, K::kAddr, K::kLen, K::kFlags, K::kSlot}},
       &Harness::Entry},
      {{"desc", {K::kSlot, K::kAddr, K::kLen, K::kFlags, K::kSlot}},
       &Harness::Desc},
      {{"offer", {K::kSlot}, true, false}, &Harness::Offer},
      {{"head", {K::kSlot, K::kSlot}, true, false}, &Harness::Head},
      {{"avail_idx", {K::kWord}, true, false}, &Harness::AvailIdx},
      {{"avail_flags", {K::kWord}, true, false}, &Harness::AvailFlags},
      {{"used_event", {K::kWord}, true, false}, &Harness::UsedEvent},
      {{"give", {K::kAddr, K::kLen, K::kFlags, K::kSlot}, false, true},
       &Harness::Give},
      {{"driver_events", {K::kWord, K::kWord}, false, true},
       &Harness::DriverEvents},
      {{"during", {K::kSlot, K::kAddr, K::kWidth, K::kValue}},
       &Harness::During},
      {{"pop", {K::kChain}}, &Harness::Pop},
      {{"push", {K::kChain, K::kLen}}, &Harness::Push},
      {{"unpop", {K::kChain}}, &Harness::UnPop},
      {{"publish", {}}, &Harness::Publish},
      {{"enable", {}}, &Harness::Enable},
      {{"disable", {}}, &Harness::Disable},
      {{"peek", {}}, &Harness::Peek},
      {{"touch", {K::kChain}}, &Harness::Touch},
      {{"renew", {}}, &Harness::Renew},
      {{"mangle", {K::kSlot, K::kValue}}, &Harness::Mangle},
      {{"base", {K::kId}}, &Harness::Base},
      {{"reset", {}}, &Harness::Reset}};
  return *verbs;
}

Outcome Run(const Script& script) {
  return RunScript(DeviceTarget().grammar, Verbs(), script);
}

}  // namespace

const Target& DeviceTarget() {
  static const auto* const target =
      new Target(MakeTarget("device", Verbs(), Run));
  return *target;
}

}  // namespace fuzz
