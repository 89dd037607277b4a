#include "tests/fuzz/naive_device.h"

namespace fuzz {
namespace {

using PopResult = NaiveDevice::PopResult;

class NaiveSplitDevice final : public NaiveDevice {
 public:
  NaiveSplitDevice(const Arena& arena, const QueueSpec& queue)
      : NaiveDevice(arena, queue) {}

  std::unique_ptr<NaiveDevice> Clone() const override {
    return std::make_unique<NaiveSplitDevice>(*this);
  }
  void Forget() override { seen_ = popped_; }
  void StartAt(uint16_t position) override {
    seen_ = popped_ = published_ = position;
  }

 private:
  uint16_t Read(uint64_t at) const {
    return static_cast<uint16_t>(arena_.Read(at, 2));
  }

  // What it saw stays available, whatever becomes of idx.
  PopResult PopNext(NaiveChain& chain) override {
    if (seen_ == popped_) {
      const auto ahead =
          static_cast<uint16_t>(Read(map_.avail_idx()) - published_);
      if (ahead > queue_.size) return PopResult::kBroken;
      if (published_ + ahead < popped_) return PopResult::kBroken;
      seen_ = published_ + ahead;
    }
    if (seen_ == popped_) return PopResult::kEmpty;
    chain = reader_.Split(Read(map_.head(popped_)));
    if (!chain.lawful) return PopResult::kBroken;
    ++popped_;
    return PopResult::kChain;
  }

  // It is only remembered where the chain begins.
  PopResult PopPutBack(NaiveChain& chain) override {
    chain = reader_.Split(chain.id);
    return chain.lawful ? PopResult::kChain : PopResult::kBroken;
  }

  bool SeesAvailable() const override {
    return Read(map_.avail_idx()) != static_cast<uint16_t>(popped_);
  }

  std::optional<bool> PublishBatch(std::vector<Word>& words) override {
    bool reached = false;
    for (const Used& used : batch_) {
      if (static_cast<uint16_t>(published_) == Read(map_.used_event())) {
        reached = true;
      }
      const uint64_t elem = map_.used(published_);
      words.push_back({elem, 4, used.chain.id});
      words.push_back({elem + 4, 4, used.written});
      ++published_;
    }
    words.push_back({map_.used_idx(), 2, static_cast<uint16_t>(published_)});
    return queue_.event_idx ? reached : (Read(map_.avail_flags()) & 1) == 0;
  }

  uint64_t seen_ = 0;
  uint64_t popped_ = 0;
  uint64_t published_ = 0;
};

class NaivePackedDevice final : public NaiveDevice {
 public:
  NaivePackedDevice(const Arena& arena, const QueueSpec& queue)
      : NaiveDevice(arena, queue) {}

  std::unique_ptr<NaiveDevice> Clone() const override {
    return std::make_unique<NaivePackedDevice>(*this);
  }
  void StartAt(uint16_t position) override {
    next_ = next_used_ = PackedPlace::Of(position);
  }

 private:
  PopResult PopNext(NaiveChain& chain) override {
    if (!SeesAvailable()) return PopResult::kEmpty;
    chain = reader_.Packed(next_, queue_.size - with_device_);
    if (!chain.lawful) return PopResult::kBroken;
    next_.Step(chain.slots, queue_.size);
    with_device_ += chain.slots;
    return PopResult::kChain;
  }

  PopResult PopPutBack(NaiveChain&) override { return PopResult::kChain; }

  bool SeesAvailable() const override {
    return reader_.Has(next_, next_.available());
  }

  std::optional<bool> PublishBatch(std::vector<Word>& words) override {
    const uint64_t wish = arena_.Read(map_.driver_events(), 4);
    bool reached = false;
    for (const Used& used : batch_) {
      AddWords(used, words);
      for (uint32_t i = 0; i < used.chain.slots; ++i) {
        reached = reached || (wish & 0xffff) == OffWrap();
        next_used_.Step(1, queue_.size);
      }
      with_device_ -= used.chain.slots;
    }
    const uint64_t flags = wish >> 16 & 3;
    if (flags != 2 || !queue_.event_idx) return flags != 1;
    if ((wish & 0x7fff) >= queue_.size) return std::nullopt;
    return reached;
  }

  void AddWords(const Used& used, std::vector<Word>& words) const {
    const uint64_t at = map_.desc(next_used_.slot);
    const uint32_t write = used.written != 0 ? 2 : 0;
    words.push_back({at + 8, 4, used.written});
    words.push_back({at + 12, 2, used.chain.id});
    words.push_back({at + 14, 2, next_used_.used() | write});
  }

  uint64_t OffWrap() const {
    return next_used_.slot | (next_used_.wrap_counter ? 0x8000 : 0);
  }

  PackedPlace next_;
  PackedPlace next_used_;
  uint32_t with_device_ = 0;  // slots
};

}  // namespace

std::unique_ptr<NaiveDevice> NaiveDevice::Make(const Arena& arena,
                                               const QueueSpec& queue) {
  if (queue.format == virtqueue::RingFormat::kSplit) {
    return std::make_unique<NaiveSplitDevice>(arena, queue);
  }
  return std::make_unique<NaivePackedDevice>(arena, queue);
}

PopResult NaiveDevice::Pop(NaiveChain& chain) {
  if (broken_) return PopResult::kBroken;
  PopResult result;
  if (put_back_.empty()) {
    result = PopNext(chain);
  } else {
    chain = put_back_.back();
    result = PopPutBack(chain);
    if (result == PopResult::kChain) put_back_.pop_back();
  }
  if (result == PopResult::kBroken) broken_ = true;
  if (result == PopResult::kChain) ++in_flight_;
  return result;
}

void NaiveDevice::UnPop(const NaiveChain& chain) {
  put_back_.push_back(chain);
  --in_flight_;
}

void NaiveDevice::Push(const NaiveChain& chain, uint32_t written) {
  batch_.push_back({chain, written});
  --in_flight_;
}

std::optional<bool> NaiveDevice::Publish(std::vector<Word>& words) {
  if (broken_ || batch_.empty()) return false;
  const std::optional<bool> notify = PublishBatch(words);
  batch_.clear();
  return notify;
}

bool NaiveDevice::HasAvailable() const {
  return !broken_ && (!put_back_.empty() || SeesAvailable());
}

}  // namespace fuzz
