#include "tests/fuzz/device_target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
#include "virtqueue/device_queue.h"

namespace fuzz {
namespace {

using virtqueue::Chain;
using virtqueue::DeviceQueue;
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
        device_(*DeviceQueue::Create(arena_.memory(), arena_.addrs(),
                                     {.size = queue.size,
                                      .event_idx = queue.event_idx,
                                      .indirect = queue.indirect})),
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

  // After each call.
  void CheckState();

  Outcome outcome;

 private:
  struct Held {
    Chain chain;
    NaiveChain naive;
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

  bool IsAsExpected(const Held& held, PopResult result,
                    PopResult expected) const;
  void Describe(const Held& held, PopResult result);
  void CheckInMemory(const std::vector<Extent>& extents);
  void CheckWords(const std::vector<Word>& words);
  void CheckFound(bool before, bool found);
  // After a call of the device half.
  void CheckCall(const std::vector<Extent>& may_change, uint64_t most_accesses);

  // Of a walk: N descriptors in a table at an odd address, each byte by itself,
  // and a few words to get there.
  uint64_t MostAccesses() const {
    return 18 * (uint64_t{queue_.size} + 1) + kFewAccesses;
  }

  // Where spans are, and where the buffers are in regions.
  template <typename Span>
  std::vector<Extent> ExtentsOf(absl::Span<const Span> spans) const {
    std::vector<Extent> extents;
    for (const Span& span : spans) {
      extents.push_back({arena_.AddressOf(span.data()), span.size()});
    }
    return extents;
  }
  std::vector<Extent> PiecesOf(const std::vector<Extent>& extents) const;

  const QueueSpec queue_;
  Arena arena_;
  Intruder intruder_{arena_};
  const RingMap map_;
  DeviceQueue device_;
  std::unique_ptr<NaiveDevice> naive_;
  std::array<Held, kChains> held_;
  PackedPlace give_at_;     // the raw driver's place in a packed ring
  bool scribbled_ = false;  // over what was pushed and is not published
  // Memory changed while it was read, and what came of it was neither of before
  // nor of after: naive_ does not know how to go on.
  bool lost_ = false;
};

std::string ToString(const std::vector<Extent>& extents) {
  return absl::StrJoin(extents, " ", [](std::string* out, const Extent& e) {
    absl::StrAppend(out, "0x", absl::Hex(e.at), "+", e.bytes);
  });
}

// If memory changed meanwhile, the answer may be that of before or of after.
void Harness::Pop(const Args& args) {
  Held& held = held_[args[0]];
  if (held.chain.pending()) return;
  std::unique_ptr<NaiveDevice> late;
  if (intruder_.planned()) late = naive_->Clone();
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
  naive_->Push(held.naive, written);
  intruder_.Watch([&] { device_.Push(held.chain, written); });
  CheckCall(map_.DevicePushes(), kFewAccesses);
  outcome.Say("pushed, ", written);
}

void Harness::UnPop(const Args& args) {
  Held& held = held_[args[0]];
  if (!held.chain.pending()) return;
  naive_->UnPop(held.naive);
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

void Harness::CheckCall(const std::vector<Extent>& may_change,
                        uint64_t most_accesses) {
  scribbled_ = scribbled_ || intruder_.struck();
  outcome.Demand(intruder_.accesses() <= most_accesses,
                 "a call takes no more steps than the ring has room for");
  const std::optional<uint64_t> changed = arena_.ChangedBut(may_change);
  if (!changed) return;
  outcome.Demand(false,
                 absl::StrCat("changed the byte at 0x", absl::Hex(*changed)));
}

void Harness::CheckState() {
  arena_.ChangedBut({});  // What the raw driver writes is no fault.
  const auto pending =
      std::count_if(held_.begin(), held_.end(),
                    [](const Held& held) { return held.chain.pending(); });
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
      {{"touch", {K::kChain}}, &Harness::Touch}};
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
