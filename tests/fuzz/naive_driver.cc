#include "tests/fuzz/naive_driver.h"

#include <algorithm>

namespace fuzz {
namespace {

constexpr uint64_t kMaxLen = 0xffffffff;  // of a used element

class NaiveSplitDriver final : public NaiveDriver {
 public:
  NaiveSplitDriver(const Arena& arena, const QueueSpec& queue)
      : NaiveDriver(arena, queue) {}

  std::unique_ptr<NaiveDriver> Clone() const override {
    return std::make_unique<NaiveSplitDriver>(*this);
  }
  void Forget() override { seen_ = collected_; }
  void StartAt(uint16_t position) override {
    idx_ = seen_ = collected_ = position;
  }

  bool ReadBatch() override {
    uint64_t entry = idx_ - batch_;
    for (size_t i = published_.size() - batch_; i < published_.size(); ++i) {
      const uint64_t head = arena_.Read(map_.head(entry++), 2);
      const NaiveChain found = reader_.Split(static_cast<uint32_t>(head));
      if (!Matches(found, published_[i])) return false;
    }
    return arena_.Read(map_.avail_idx(), 2) == static_cast<uint16_t>(idx_);
  }

  bool HasUsed() const override { return Ahead() != 0; }
  bool HasMostUsed() const override {
    return Ahead() > published_.size() * 3 / 4;
  }

 private:
  uint16_t Ahead() const {
    return static_cast<uint16_t>(arena_.Read(map_.used_idx(), 2) - collected_);
  }

  Answer NextUsed() override {
    if (seen_ == collected_) {
      if (Ahead() > published_.size()) return {Answer::kFault};
      seen_ = collected_ + Ahead();
    }
    if (seen_ == collected_) return {Answer::kNothing};
    const uint64_t elem = map_.used(collected_);
    return {.kind = Answer::kUsed,
            .id = static_cast<uint32_t>(arena_.Read(elem, 4)),
            .len = static_cast<uint32_t>(arena_.Read(elem + 4, 4))};
  }

  void Skip(const Chain&) override { ++collected_; }

  std::optional<bool> Notify() override {
    const uint64_t event = arena_.Read(map_.avail_event(), 2);
    bool reached = false;
    for (size_t i = 0; i < added_.size(); ++i) {
      reached = reached || static_cast<uint16_t>(idx_) == event;
      ++idx_;
    }
    if (queue_.event_idx) return reached;
    return (arena_.Read(map_.used_flags(), 2) & 1) == 0;
  }

  uint64_t idx_ = 0;
  uint64_t seen_ = 0;
  uint64_t collected_ = 0;
};

class NaivePackedDriver final : public NaiveDriver {
 public:
  NaivePackedDriver(const Arena& arena, const QueueSpec& queue)
      : NaiveDriver(arena, queue) {}

  std::unique_ptr<NaiveDriver> Clone() const override {
    return std::make_unique<NaivePackedDriver>(*this);
  }
  void StartAt(uint16_t position) override {
    first_ = next_ = next_used_ = PackedPlace::Of(position);
  }

  bool ReadBatch() override {
    PackedPlace at = first_;
    for (size_t i = published_.size() - batch_; i < published_.size(); ++i) {
      const NaiveChain found = reader_.Packed(at, queue_.size);
      if (!Matches(found, published_[i])) return false;
      if (found.slots != published_[i].slots) return false;
      at.Step(found.slots, queue_.size);
    }
    return true;
  }

  bool HasUsed() const override {
    return reader_.Has(next_used_, next_used_.used());
  }
  bool HasMostUsed() const override { return HasUsed(); }

 private:
  Answer NextUsed() override {
    if (!HasUsed()) return {Answer::kNothing};
    const uint64_t at = map_.desc(next_used_.slot);
    const bool wrote = (arena_.Read(at + 14, 2) & 2) != 0;
    const uint64_t len = wrote ? arena_.Read(at + 8, 4) : 0;
    return {.kind = Answer::kUsed,
            .id = static_cast<uint32_t>(arena_.Read(at + 12, 2)),
            .len = static_cast<uint32_t>(len)};
  }

  void Skip(const Chain& chain) override {
    next_used_.Step(chain.slots, queue_.size);
  }

  std::optional<bool> Notify() override {
    const uint64_t wish = arena_.Read(map_.device_events(), 4);
    bool reached = false;
    first_ = next_;
    for (const Chain& chain : added_) {
      for (uint32_t i = 0; i < chain.slots; ++i) {
        reached = reached || (wish & 0xffff) == OffWrap();
        next_.Step(1, queue_.size);
      }
    }
    const uint64_t flags = wish >> 16 & 3;
    if (flags != 2 || !queue_.event_idx) return flags != 1;
    if ((wish & 0x7fff) >= queue_.size) return std::nullopt;
    return reached;
  }

  uint64_t OffWrap() const {
    return next_.slot | (next_.wrap_counter ? 0x8000 : 0);
  }

  PackedPlace first_;  // of the last batch
  PackedPlace next_;
  PackedPlace next_used_;
};

}  // namespace

std::unique_ptr<NaiveDriver> NaiveDriver::Make(const Arena& arena,
                                               const QueueSpec& queue) {
  if (queue.format == virtqueue::RingFormat::kSplit) {
    return std::make_unique<NaiveSplitDriver>(arena, queue);
  }
  return std::make_unique<NaivePackedDriver>(arena, queue);
}

NaiveDriver::AddResult NaiveDriver::Add(const std::vector<Extent>& readable,
                                        const std::vector<Extent>& writable,
                                        uint64_t token) {
  const size_t count = readable.size() + writable.size();
  if (broken_) return AddResult::kBroken;
  if (count == 0 || count > queue_.size) return AddResult::kRefused;
  Chain chain = {.token = token,
                 .shape = {.lawful = true,
                           .descriptors = static_cast<uint32_t>(count),
                           .readable = readable,
                           .writable = writable}};
  const bool table =
      queue_.indirect && count > 1 && count <= queue_.table_entries;
  chain.slots = table ? 1 : static_cast<uint32_t>(count);
  if (chain.slots > free_descriptors()) return AddResult::kNoRoom;
  const uint64_t bytes =
      chain.shape.readable_bytes() + chain.shape.writable_bytes();
  if (bytes > uint64_t{1} << 32) return AddResult::kRefused;
  added_.push_back(chain);
  return AddResult::kAdded;
}

std::optional<bool> NaiveDriver::Publish() {
  batch_ = 0;
  if (broken_ || added_.empty()) return false;
  const std::optional<bool> notify = Notify();
  batch_ = added_.size();
  published_.insert(published_.end(), added_.begin(), added_.end());
  added_.clear();
  return notify;
}

std::optional<NaiveDriver::Used> NaiveDriver::Collect() {
  if (broken_) return std::nullopt;
  const Answer used = NextUsed();
  if (used.kind == Answer::kNothing) return std::nullopt;
  const auto chain = std::find_if(
      published_.begin(), published_.end(),
      [&](const Chain& c) { return c.known && c.shape.id == used.id; });
  broken_ = used.kind == Answer::kFault || chain == published_.end() ||
            used.len > std::min(chain->shape.writable_bytes(), kMaxLen);
  if (broken_) return std::nullopt;
  const Used result = {.token = chain->token, .len = used.len};
  Skip(*chain);
  published_.erase(chain);
  return result;
}

uint32_t NaiveDriver::free_descriptors() const {
  uint32_t taken = 0;
  for (const Chain& chain : added_) taken += chain.slots;
  for (const Chain& chain : published_) taken += chain.slots;
  return queue_.size - taken;
}

bool NaiveDriver::Matches(const NaiveChain& found, Chain& chain) {
  chain.known = found.lawful;
  chain.shape.id = found.id;
  return found.lawful && found.readable == chain.shape.readable &&
         found.writable == chain.shape.writable;
}

}  // namespace fuzz
