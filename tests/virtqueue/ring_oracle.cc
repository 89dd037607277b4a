#include "tests/virtqueue/ring_oracle.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using AddResult = DriverQueue::AddResult;
using PopResult = DeviceQueue::PopResult;

constexpr uint64_t kTables = uint64_t{1} << 24;
constexpr uint64_t kSlots = uint64_t{1} << 28;

uint32_t Sum(const std::vector<uint32_t>& lens) {
  return std::accumulate(lens.begin(), lens.end(), 0u);
}

size_t Count(const RingOracle::Shape& shape) {
  return shape.readable.size() + shape.writable.size();
}

// The bytes of a chain, different for each token and for either direction.
std::vector<std::byte> Pattern(uint64_t token, bool written, uint32_t len) {
  std::vector<std::byte> bytes(len);
  for (uint32_t i = 0; i < len; ++i) {
    bytes[i] = std::byte((token * 7 + i * 13 + (written ? 128 : 0)) & 0xff);
  }
  return bytes;
}

// The ring, its tables, and slots for the bytes of chains: these in two
// adjacent regions, the first of which ends within a slot.
HeapMemory MakeHeap(const RingOracle::Ring& ring, uint32_t chain_bytes) {
  const uint64_t slots = uint64_t{ring.size} * chain_bytes;
  const uint64_t first = slots / 2 + 1;
  const uint64_t tables =
      uint64_t{ring.size} * ring.indirect_table_entries * 16;
  return HeapMemory({{0, virtqueue::RingBytes(ring.format, ring.size)},
                     {kTables, tables + 16},
                     {kSlots, first},
                     {kSlots + first, slots - first + 1}});
}

DriverQueue MakeDriver(const HeapMemory& heap,
                       const virtqueue::RingAddrs& addrs,
                       const RingOracle::Ring& ring) {
  return *DriverQueue::Create(
      heap.memory(), addrs,
      {.size = ring.size,
       .event_idx = ring.event_idx,
       .indirect = ring.indirect_table_entries != 0,
       .in_order = ring.in_order,
       .indirect_tables = GuestAddr(kTables),
       .indirect_table_entries = ring.indirect_table_entries});
}

}  // namespace

RingOracle::RingOracle(const Ring& ring, uint32_t chain_bytes)
    : ring_(ring),
      chain_bytes_(chain_bytes),
      heap_(MakeHeap(ring, chain_bytes)),
      addrs_(virtqueue::LayRing(ring.format, GuestAddr(0), ring.size)),
      driver_(MakeDriver(heap_, addrs_, ring)),
      device_(
          *DeviceQueue::Create(heap_.memory(), addrs_,
                               {.size = ring.size,
                                .event_idx = ring.event_idx,
                                .indirect = ring.indirect_table_entries != 0,
                                .in_order = ring.in_order})),
      free_descriptors_(ring.size) {
  for (uint32_t i = 0; i < ring.size; ++i) free_slots_.insert(i);
  if (packed()) {
    driver_wish_.of_any = device_wish_.of_any = true;  // a zeroed structure
    mirror_.emplace(heap_.memory(),
                    std::get<virtqueue::PackedRingAddrs>(addrs_), ring.size);
  } else if (ring.in_order) {
    split_mirror_.emplace(
        heap_.memory(), std::get<virtqueue::SplitRingAddrs>(addrs_), ring.size);
  }
}

void RingOracle::Add(const Shape& shape) {
  const size_t count = Count(shape);
  const bool table = count > 1 && count <= ring_.indirect_table_entries;
  Model model = {.token = next_token_, .shape = shape};
  model.ring_descriptors = table ? 1 : static_cast<uint32_t>(count);
  AddResult expected = AddResult::kAdded;
  if (count == 0 || count > ring_.size) {
    expected = AddResult::kRefused;
  } else if (model.ring_descriptors > free_descriptors_) {
    expected = AddResult::kNoRoom;
  }
  // With no room there may be no slot either; then any will do.
  model.slot = free_slots_.empty() ? 0 : *free_slots_.begin();
  const uint64_t at = SlotAt(model.slot);
  const uint32_t readable = Sum(shape.readable);
  if (expected == AddResult::kAdded) {
    Write(at, Pattern(model.token, /*written=*/false, readable));
  }

  const AddResult result =
      driver_.Add(Place(shape.readable, at),
                  Place(shape.writable, at + readable), model.token);

  Same(static_cast<uint64_t>(result), static_cast<uint64_t>(expected), "Add");
  if (expected == AddResult::kAdded) {
    ++next_token_;
    free_slots_.erase(model.slot);
    free_descriptors_ -= model.ring_descriptors;
    added_.push_back(std::move(model));
  }
  CheckCounts();
}

void RingOracle::PublishAdded() {
  const uint64_t before = available_at_;
  for (const Model& model : added_) available_at_ += Moves(model);

  Same(driver_.Publish(), MustNotify(device_wish_, before, available_at_),
       "notification of the device");

  MirrorAdded();
  std::move(added_.begin(), added_.end(), std::back_inserter(available_));
  added_.clear();
  CheckCounts();
}

void RingOracle::Pop() {
  if (put_back_.empty() && available_.empty()) {
    Same(static_cast<uint64_t>(device_.Pop(spare_)),
         static_cast<uint64_t>(PopResult::kEmpty), "Pop of nothing");
    return;
  }
  Held held;
  Same(static_cast<uint64_t>(device_.Pop(held.chain)),
       static_cast<uint64_t>(PopResult::kChain), "Pop");
  if (!put_back_.empty()) {
    held.model = std::move(put_back_.back());
    put_back_.pop_back();
  } else {
    held.model = std::move(available_.front());
    available_.pop_front();
    popped_at_ += Moves(held.model);
  }
  CheckPopped(held);
  held_.push_back(std::move(held));
  CheckCounts();
}

void RingOracle::Push(size_t which) {
  if (held_.empty()) return;
  Held held = std::move(held_[which]);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
  const uint32_t room = Sum(held.model.shape.writable);
  held.model.written = static_cast<uint32_t>(held.model.token % (room + 1));
  const auto bytes =
      Pattern(held.model.token, /*written=*/true, held.model.written);
  Same(held.chain.CopyTo(0, bytes), held.model.written, "bytes scattered");

  device_.Push(held.chain, held.model.written);

  pushed_.push_back(std::move(held.model));
  CheckCounts();
}

void RingOracle::PutBackNewest() {
  if (held_.empty()) return;
  device_.UnPop(held_.back().chain);
  put_back_.push_back(std::move(held_.back().model));
  held_.pop_back();
  CheckCounts();
}

void RingOracle::PublishUsed() {
  const uint64_t before = used_at_;
  std::deque<Model> ready = TakeReady();
  for (const Model& model : ready) used_at_ += Moves(model);

  Same(device_.Publish(), MustNotify(driver_wish_, before, used_at_),
       "notification of the driver");

  MirrorUsed(ready);
  std::move(ready.begin(), ready.end(), std::back_inserter(used_));
  CheckCounts();
}

// Tokens count up, so they tell in which order chains were made available.
std::deque<RingOracle::Model> RingOracle::TakeReady() {
  if (!ring_.in_order) return std::exchange(pushed_, {});
  std::deque<Model> ready;
  const auto turn = [this] {
    return std::find_if(
        pushed_.begin(), pushed_.end(),
        [this](const Model& model) { return model.token == next_turn_; });
  };
  for (auto next = turn(); next != pushed_.end(); next = turn()) {
    ready.push_back(std::move(*next));
    pushed_.erase(next);
    ++next_turn_;
  }
  return ready;
}

void RingOracle::Collect() {
  const std::optional<DriverQueue::Used> used = driver_.Collect();
  Same(used.has_value(), !used_.empty(), "Collect");
  if (!used.has_value() || used_.empty()) return;
  const Model model = std::move(used_.front());
  used_.pop_front();
  ++collected_;
  collected_at_ += Moves(model);
  free_slots_.insert(model.slot);
  free_descriptors_ += model.ring_descriptors;
  Same(used->token, model.token, "token");
  Same(used->len, model.written, "used length");
  const uint64_t at = SlotAt(model.slot) + Sum(model.shape.readable);
  Same(Read(at, model.written) ==
           Pattern(model.token, /*written=*/true, model.written),
       1, "written bytes as they were");
  CheckCounts();
}

void RingOracle::DriverEnable() {
  driver_wish_ = {.event = collected_at_};
  Same(driver_.EnableNotifications(), !used_.empty(), "used already");
}

void RingOracle::DriverEnableDelayed() {
  const uint64_t ahead = (available_at_ - collected_at_) * 3 / 4;
  driver_wish_ = {.event = collected_at_ + ahead};
  Same(driver_.EnableNotificationsDelayed(),
       used_.size() > (packed() ? 0 : ahead), "enough used already");
}

void RingOracle::DriverDisable() {
  driver_.DisableNotifications();
  if (driver_wish_.wanted) driver_wish_ = NoWish(collected_at_);
}

void RingOracle::DeviceEnable() {
  device_wish_ = {.event = popped_at_};
  Same(device_.EnableNotifications(), !available_.empty() || !put_back_.empty(),
       "available already");
}

void RingOracle::DeviceDisable() {
  device_.DisableNotifications();
  if (device_wish_.wanted) device_wish_ = NoWish(popped_at_);
}

void RingOracle::Drain() {
  PublishAdded();
  while (!put_back_.empty() || !available_.empty()) Pop();
  while (!held_.empty()) PushOldest();
  PublishUsed();
  while (!used_.empty() && difference_.empty()) Collect();
  DriverEnable();
  DeviceEnable();
}

// With the event index the wish of a split ring is the entry before `next`.
RingOracle::Wish RingOracle::NoWish(uint64_t next) const {
  return {.wanted = false, .event = next - 1};
}

bool RingOracle::MustNotify(const Wish& wish, uint64_t before,
                            uint64_t after) const {
  if (!ring_.event_idx || wish.of_any) return before != after && wish.wanted;
  if (packed() && !wish.wanted) return false;
  // A wish names an entry modulo 65536, a slot and the parity of its lap.
  const uint64_t lap = packed() ? 2u * ring_.size : 65536u;
  for (uint64_t i = before; i != after; ++i) {
    if (i % lap == wish.event % lap) return true;
  }
  return false;
}

RingOracle::Buffers RingOracle::Place(const std::vector<uint32_t>& lens,
                                      uint64_t at) const {
  Buffers buffers;
  for (const uint32_t len : lens) {
    buffers.push_back({GuestAddr(at), len});
    at += len;
  }
  return buffers;
}

uint64_t RingOracle::SlotAt(uint32_t slot) const {
  return kSlots + uint64_t{slot} * chain_bytes_;
}

void RingOracle::Write(uint64_t at, absl::Span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const absl::Span<std::byte> piece = heap_.memory().Prefix(
        GuestAddr(at), static_cast<uint32_t>(bytes.size()));
    std::copy_n(bytes.begin(), piece.size(), piece.begin());
    bytes.remove_prefix(piece.size());
    at += piece.size();
  }
}

std::vector<std::byte> RingOracle::Read(uint64_t at, uint32_t len) const {
  std::vector<std::byte> bytes;
  while (bytes.size() < len) {
    const absl::Span<std::byte> piece = heap_.memory().Prefix(
        GuestAddr(at), static_cast<uint32_t>(len - bytes.size()));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    at += piece.size();
  }
  return bytes;
}

void RingOracle::MirrorAdded() {
  for (const Model& model : added_) {
    const auto& [readable, writable] = model.shape;
    if (mirror_) {
      mirror_->MakeAvailable(model.token, readable, writable,
                             model.ring_descriptors);
    }
    if (split_mirror_) {
      split_mirror_->MakeAvailable(readable, writable, model.ring_descriptors);
    }
  }
}

// 2.7.9, 2.8.8: in order, chains that were completely used are skipped.
void RingOracle::MirrorUsed(const std::deque<Model>& ready) {
  std::deque<Model> batch;
  for (const Model& model : ready) {
    batch.push_back(model);
    const bool whole = model.written == Sum(model.shape.writable);
    if (ring_.in_order && whole && &model != &ready.back()) continue;
    MirrorBatch(batch);
    batch.clear();
  }
}

void RingOracle::MirrorBatch(const std::deque<Model>& batch) {
  const Model& last = batch.back();
  if (split_mirror_) {
    split_mirror_->Use(static_cast<uint32_t>(batch.size()), last.written);
  }
  if (!mirror_) return;
  uint32_t slots = 0;
  for (const Model& model : batch) {
    slots += model.ring_descriptors;
    if (&model != &last) mirror_->Skip(model.token);
  }
  mirror_->Use(last.token, last.written, slots);
}

uint32_t RingOracle::MirrorDiffers() const {
  // What is not published may be in the ring, all but the first slot of it; in
  // order, what is not used is not.
  if (!added_.empty() || (!pushed_.empty() && !ring_.in_order)) return 0;
  return (mirror_ ? mirror_->Differs() : 0) +
         (split_mirror_ ? split_mirror_->Differs() : 0);
}

void RingOracle::CheckPopped(const Held& held) {
  const uint32_t readable = Sum(held.model.shape.readable);
  Same(held.chain.readable_bytes(), readable, "readable bytes");
  Same(held.chain.writable_bytes(), Sum(held.model.shape.writable),
       "writable bytes");
  Same(held.chain.descriptors(), Count(held.model.shape), "descriptors");
  std::vector<std::byte> bytes(readable + 1);
  Same(held.chain.CopyFrom(0, absl::MakeSpan(bytes)), readable,
       "bytes gathered");
  bytes.resize(readable);
  Same(bytes == Pattern(held.model.token, /*written=*/false, readable), 1,
       "readable bytes as they were");
}

void RingOracle::CheckCounts() {
  Same(driver_.free_descriptors(), free_descriptors_, "free descriptors");
  Same(driver_.in_flight(), next_token_ - collected_, "in flight of driver");
  Same(device_.in_flight(), held_.size(), "in flight of device");
  Same(device_.HasAvailable(), !available_.empty() || !put_back_.empty(),
       "HasAvailable");
  Same(driver_.status().ok() && device_.status().ok(), 1, "status");
  Same(MirrorDiffers(), 0, "the ring as it is to be");
}

void RingOracle::Same(uint64_t actual, uint64_t expected,
                      absl::string_view what) {
  if (actual == expected || !difference_.empty()) return;
  difference_ = absl::StrCat(what, ": ", actual, " instead of ", expected,
                             " after ", collected_, " collected");
}
