#include "tests/fuzz/driver_target.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/arena.h"
#include "tests/fuzz/intruder.h"
#include "tests/fuzz/naive_chain.h"
#include "tests/fuzz/naive_driver.h"
#include "tests/fuzz/ring_map.h"
#include "tests/fuzz/run_script.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"

namespace fuzz {
namespace {

using virtqueue::DriverQueue;
using virtqueue::DriverState;
using virtqueue::GuestAddr;
using virtqueue::RingFormat;
using AddResult = DriverQueue::AddResult;
using Answer = std::optional<DriverQueue::Used>;

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
                 .in_order = queue.in_order,
                 .indirect_tables = GuestAddr(kTables),
                 .indirect_table_entries = queue.table_entries},
        driver_(
            *DriverQueue::Create(arena_.memory(), arena_.addrs(), options_)),
        naive_(NaiveDriver::Make(arena_, queue_)) {}

  // The raw device.
  void Poke(const Args& args) {
    arena_.Write(args[0], static_cast<uint32_t>(args[1]), args[2]);
    scribbled_ = true;
  }
  void Desc(const Args& args);
  void UsedElement(const Args& args) { WriteUsed(args[0], args[1], args[2]); }
  void Use(const Args& args) { UseNext(args[0], args[1], /*slots=*/1); }
  void Finish(const Args& args);
  void UsedIdx(const Args& args) { arena_.Write(map_.used_idx(), 2, args[0]); }
  void UsedFlags(const Args& args) {
    arena_.Write(map_.used_flags(), 2, args[0]);
  }
  void AvailEvent(const Args& args) {
    arena_.Write(map_.avail_event(), 2, args[0]);
  }
  void DeviceEvents(const Args& args) {
    arena_.Write(map_.device_events(), 2, args[0]);
    arena_.Write(map_.device_events() + 2, 2, args[1]);
  }

  // Another processor.
  void During(const Args& args) {
    intruder_.Plan(args[0], {.at = args[1],
                             .bytes = static_cast<uint32_t>(args[2]),
                             .value = args[3]});
  }

  // The driver half.
  void Add(const Args& args);
  void Publish(const Args& args);
  void Collect(const Args& args);
  void Enable(const Args& args);
  void EnableDelayed(const Args& args);
  void Disable(const Args& args);
  void Renew(const Args& args);
  void Mangle(const Args& args);
  void Base(const Args& args);

  // After each call.
  void CheckState();

  Outcome outcome;

 private:
  struct Chain {
    uint64_t writable_bytes = 0;
    bool published = false;
  };

  void WriteUsed(uint64_t slot, uint64_t id, uint64_t len);
  void UseNext(uint64_t id, uint64_t len, uint32_t slots);
  // False, and all is as before, if there is no such queue.
  bool Restore(const DriverState& state);
  void CheckToken(const DriverQueue::Used& used);
  bool IsAsExpected(const Answer& used, const Answer& expected) const;
  void CheckFound(bool before, bool after, bool found);
  // After a call of the driver half.
  void CheckCall(const std::vector<Extent>& may_change, uint64_t most_accesses);
  void CheckMemory(const std::vector<Extent>& may_change);

  const QueueSpec queue_;
  Arena arena_;
  Intruder intruder_{arena_};
  const RingMap map_;
  const DriverQueue::Options options_;
  DriverQueue driver_;
  std::unique_ptr<NaiveDriver> naive_;
  std::map<uint64_t, Chain> chains_;  // added and not collected, by token
  uint64_t next_token_ = 0;
  PackedPlace use_at_;      // the raw device's place in a packed ring
  bool scribbled_ = false;  // over what was added and is not published
  // What was published is not known, or memory changed while it was read and
  // what came of it was neither of before nor of after: naive_ does not know
  // how to go on.
  bool lost_ = queue_.in_order;
};

std::vector<Extent> Buffers(uint64_t count, uint64_t len) {
  std::vector<Extent> extents;
  for (uint64_t i = 0; i < count; ++i) extents.push_back({kBuffers + i, len});
  return extents;
}

std::vector<DriverQueue::Buffer> ToBuffers(const std::vector<Extent>& extents) {
  std::vector<DriverQueue::Buffer> buffers;
  for (const Extent& extent : extents) {
    buffers.push_back(
        {GuestAddr(extent.at), static_cast<uint32_t>(extent.bytes)});
  }
  return buffers;
}

absl::string_view NameOf(AddResult result) {
  switch (result) {
    case AddResult::kAdded:
      return "added";
    case AddResult::kNoRoom:
      return "no room";
    case AddResult::kRefused:
      return "refused";
    case AddResult::kBroken:
      return "broken";
  }
  return "";
}

// Changes a number of `chain`, if it has that; its token is the driver's own.
bool ChangeField(DriverState::InFlight& chain, uint64_t field, uint64_t value) {
  const auto word = static_cast<uint16_t>(value);
  switch (field % 4) {
    case 0:
      return chain.writable_bytes = static_cast<uint32_t>(value), true;
    case 1:
      return chain.id = word, true;
    case 2:
      return chain.slots = word, true;
    default:
      if (chain.linked.empty()) return false;
      return chain.linked[value % chain.linked.size()] = word, true;
  }
}

// Changes a number of `state`, if it has that.
bool ChangeField(DriverState& state, uint64_t field, uint64_t value) {
  const auto word = static_cast<uint16_t>(value);
  switch (field % 8) {
    case 0:
      return state.published = word, true;
    case 1:
      return state.next_used = word, true;
    case 2:
      return state.unpublished = word, true;
    case 3:
      state.held = {.len = static_cast<uint32_t>(value >> 32),
                    .id = static_cast<uint16_t>(value >> 16),
                    .flags = word};
      return true;
    case 4:
      return state.held.reset(), true;
    case 5:
      if (state.free.empty()) return false;
      return state.free[value % state.free.size()] = word, true;
    default:
      if (state.in_flight.empty()) return false;
      return ChangeField(state.in_flight[value % state.in_flight.size()],
                         field / 8, value / state.in_flight.size());
  }
}

void Harness::Desc(const Args& args) {
  WriteDesc(arena_, queue_.format, map_.desc(args[0]),
            {.addr = args[1],
             .len = static_cast<uint32_t>(args[2]),
             .flags = static_cast<uint16_t>(args[3]),
             .next_or_id = static_cast<uint16_t>(args[4])});
  scribbled_ = true;
}

void Harness::WriteUsed(uint64_t slot, uint64_t id, uint64_t len) {
  arena_.Write(map_.used(slot), 4, id);
  arena_.Write(map_.used(slot) + 4, 4, len);
}

// Uses a chain where a lawful device would use its next one.
void Harness::UseNext(uint64_t id, uint64_t len, uint32_t slots) {
  if (queue_.format == RingFormat::kSplit) {
    const uint64_t idx = arena_.Read(map_.used_idx(), 2);
    WriteUsed(idx, id, len);
    arena_.Write(map_.used_idx(), 2, idx + 1);
    return;
  }
  const uint16_t write = len != 0 ? 2 : 0;
  const uint64_t at = map_.desc(use_at_.slot);
  WriteDesc(arena_, queue_.format, at,
            {.addr = arena_.Read(at, 8),
             .len = static_cast<uint32_t>(len),
             .flags = static_cast<uint16_t>(use_at_.used() | write),
             .next_or_id = static_cast<uint16_t>(id)});
  use_at_.Step(slots, queue_.size);
  scribbled_ = true;
}

// Uses a chain that the device has, so lawfully if `len` is lawful.
void Harness::Finish(const Args& args) {
  const auto& published = naive_->published();
  if (lost_ || published.empty()) return;
  const auto& chain = published[args[0] % published.size()];
  UseNext(chain.shape.id, args[1], chain.slots);
}

void Harness::Add(const Args& args) {
  const std::vector<Extent> readable = Buffers(args[0], args[2]);
  const std::vector<Extent> writable = Buffers(args[1], args[2]);
  const AddResult expected = naive_->Add(readable, writable, next_token_);
  const bool works = driver_.status().ok();
  const AddResult result = intruder_.Watch([&] {
    return driver_.Add(ToBuffers(readable), ToBuffers(writable), next_token_);
  });
  CheckCall(works ? map_.DriverAdds() : std::vector<Extent>(),
            2 * (args[0] + args[1]) + kFewAccesses);
  outcome.Demand(lost_ || result == expected, "Add answers what it has to");
  outcome.Say(NameOf(result), ", token ", next_token_);
  if (result != AddResult::kAdded) return;
  chains_[next_token_++].writable_bytes = args[1] * args[2];
}

void Harness::Publish(const Args&) {
  const std::unique_ptr<NaiveDriver> late = naive_->Clone();
  const std::optional<bool> before = naive_->Publish();
  const bool works = driver_.status().ok();
  const bool notify = intruder_.Watch([&] { return driver_.Publish(); });
  CheckCall(works ? map_.DriverPublishes() : std::vector<Extent>(),
            2 * uint64_t{queue_.size} + kFewAccesses);
  const std::optional<bool> after = late->Publish();
  outcome.Demand(lost_ || before.value_or(notify) == notify ||
                     after.value_or(notify) == notify,
                 "Publish says whether to notify");
  outcome.Demand(lost_ || scribbled_ || naive_->ReadBatch(),
                 "the ring shows what was added");
  lost_ = lost_ || scribbled_;
  scribbled_ = false;
  for (auto& [token, chain] : chains_) {
    chain.published = chain.published || works;
  }
  outcome.Say(notify ? "notify" : "quiet");
}

// If memory changed meanwhile, the answer may be that of before or of after.
void Harness::Collect(const Args&) {
  std::unique_ptr<NaiveDriver> late;
  if (intruder_.planned()) late = naive_->Clone();
  const Answer expected = naive_->Collect();
  const Answer used = intruder_.Watch([&] { return driver_.Collect(); });
  CheckCall({}, kFewAccesses);
  if (late && intruder_.struck() && !IsAsExpected(used, expected)) {
    naive_ = std::move(late);
    const Answer after = naive_->Collect();
    lost_ = lost_ || !IsAsExpected(used, after);
  } else {
    outcome.Demand(lost_ || IsAsExpected(used, expected),
                   "Collect answers what memory says");
  }
  if (used) return CheckToken(*used);
  outcome.Say("nothing: ", driver_.status().message());
}

bool Harness::IsAsExpected(const Answer& used, const Answer& expected) const {
  if (driver_.status().ok() == naive_->broken()) return false;
  if (used.has_value() != expected.has_value()) return false;
  return !used ||
         (used->token == expected->token && used->len == expected->len);
}

void Harness::CheckToken(const DriverQueue::Used& used) {
  outcome.Say("token ", used.token, ", ", used.len);
  const auto chain = chains_.find(used.token);
  outcome.Demand(chain != chains_.end(), "a token comes back once");
  if (chain == chains_.end()) return;
  outcome.Demand(chain->second.published, "a token was published before");
  outcome.Demand(used.len <= chain->second.writable_bytes,
                 "no more was written than the chain can hold");
  chains_.erase(chain);
}

void Harness::Enable(const Args&) {
  const bool before = naive_->HasUsed();
  const bool found =
      intruder_.Watch([&] { return driver_.EnableNotifications(); });
  CheckCall(map_.DriverWishes(), kFewAccesses);
  CheckFound(before, naive_->HasUsed(), found);
}

void Harness::EnableDelayed(const Args&) {
  const bool before = naive_->HasMostUsed();
  const bool found =
      intruder_.Watch([&] { return driver_.EnableNotificationsDelayed(); });
  CheckCall(map_.DriverWishes(), kFewAccesses);
  CheckFound(before, naive_->HasMostUsed(), found);
}

void Harness::CheckFound(bool before, bool after, bool found) {
  const bool fits =
      naive_->broken() ? !found : found == before || found == after;
  outcome.Demand(lost_ || fits, "what is used is found");
  outcome.Say(found ? "used" : "none");
}

void Harness::Disable(const Args&) {
  intruder_.Watch([&] { driver_.DisableNotifications(); });
  CheckCall(map_.DriverWishes(), kFewAccesses);
}

bool Harness::Restore(const DriverState& state) {
  absl::StatusOr<DriverQueue> restored =
      DriverQueue::Restore(arena_.memory(), arena_.addrs(), options_, state);
  outcome.Say(restored.ok() ? "restored" : restored.status().message());
  if (!restored.ok()) return false;
  driver_ = *std::move(restored);
  return true;
}

// Goes on from its own state.
void Harness::Renew(const Args&) {
  const DriverState state = driver_.Save();
  const bool restored = Restore(state);
  naive_->Forget();
  CheckMemory({});
  outcome.Demand(restored, "Restore takes what Save gave");
  outcome.Demand(driver_.Save() == state, "and Save gives it again");
}

// Goes on from its own state with one number changed, if there is such a state.
void Harness::Mangle(const Args& args) {
  DriverState state = driver_.Save();
  if (!ChangeField(state, args[0], args[1]) || !Restore(state)) return;
  lost_ = true;
  CheckMemory({});
  const size_t published = state.in_flight.size() - state.unpublished;
  for (size_t i = 0; i < state.in_flight.size(); ++i) {
    chains_[state.in_flight[i].token] = {
        .writable_bytes = state.in_flight[i].writable_bytes,
        .published = i < published};
  }
}

// Goes on from where another driver was; so does the raw device.
void Harness::Base(const Args& args) {
  const auto position = static_cast<uint16_t>(args[0]);
  DriverState state = {.format = queue_.format,
                       .size = queue_.size,
                       .published = position,
                       .next_used = position};
  for (uint16_t i = 0; i < queue_.size; ++i) state.free.push_back(i);
  if (!Restore(state)) return;
  CheckMemory({});
  chains_.clear();
  naive_ = NaiveDriver::Make(arena_, queue_);
  naive_->StartAt(position);
  lost_ = queue_.in_order;
  scribbled_ = false;
  use_at_ = PackedPlace::Of(position);
  if (queue_.format == RingFormat::kPacked) return;
  arena_.Write(map_.avail_idx(), 2, position);
  arena_.Write(map_.used_idx(), 2, position);
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
  arena_.ChangedBut({});  // What the raw device writes is no fault.
  const bool broken = !driver_.status().ok();
  outcome.Demand(driver_.in_flight() == chains_.size(),
                 "in_flight counts the chains in flight");
  outcome.Demand(driver_.in_flight() <= queue_.size, "at most N in flight");
  if (broken) outcome.DemandClause(driver_.status());
  if (lost_) return;
  outcome.Demand(broken == naive_->broken(),
                 "status tells whether the queue is quarantined");
  outcome.Demand(
      broken || driver_.free_descriptors() == naive_->free_descriptors(),
      "free_descriptors counts those in no chain");
}

const std::vector<Verb<Harness>>& Verbs() {
  using K = ArgKind;
  static const auto* const verbs = new std::vector<Verb<Harness>>{
      {{"poke", {K::kAddr, K::kWidth, K::kValue}}, &Harness::Poke},
      {{"desc", {K::kSlot, K::kAddr, K::kLen, K::kFlags, K::kSlot}},
       &Harness::Desc},
      {{"used", {K::kSlot, K::kId, K::kLen}, true, false},
       &Harness::UsedElement},
      {{"use", {K::kId, K::kLen}}, &Harness::Use},
      {{"finish", {K::kSlot, K::kLen}}, &Harness::Finish},
      {{"used_idx", {K::kWord}, true, false}, &Harness::UsedIdx},
      {{"used_flags", {K::kWord}, true, false}, &Harness::UsedFlags},
      {{"avail_event", {K::kWord}, true, false}, &Harness::AvailEvent},
      {{"device_events", {K::kWord, K::kWord}, false, true},
       &Harness::DeviceEvents},
      {{"during", {K::kSlot, K::kAddr, K::kWidth, K::kValue}},
       &Harness::During},
      {{"add", {K::kCount, K::kCount, K::kLen}}, &Harness::Add},
      {{"publish", {}}, &Harness::Publish},
      {{"collect", {}}, &Harness::Collect},
      {{"enable", {}}, &Harness::Enable},
      {{"enable_delayed", {}}, &Harness::EnableDelayed},
      {{"disable", {}}, &Harness::Disable},
      {{"renew", {}}, &Harness::Renew},
      {{"mangle", {K::kSlot, K::kValue}}, &Harness::Mangle},
      {{"base", {K::kWord}}, &Harness::Base}};
  return *verbs;
}

Outcome Run(const Script& script) {
  return RunScript(DriverTarget().grammar, Verbs(), script);
}

}  // namespace

const Target& DriverTarget() {
  static const auto* const target =
      new Target(MakeTarget("driver", Verbs(), Run));
  return *target;
}

}  // namespace fuzz
