// The driver half with VIRTIO_F_IN_ORDER and a device that makes batches as it
// likes, also of chains that were not completely written; beside them what
// virtio 1.3, 2.7.9 and 2.8.8 say has to be collected, kept in lists. All short
// sequences of steps, one after the other.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/driver_queue.h"

namespace virtqueue {
namespace {

using Used = DriverQueue::Used;

// A chain that the device has.
struct Given {
  uint64_t token = 0;
  uint32_t room = 0;  // writable bytes
  uint32_t slots = 0;
};

// Either ring, as seen by the device.
class Ring {
 public:
  virtual ~Ring() = default;
  virtual DriverQueue& driver() = 0;
  virtual void Add(const Given& chain, uint32_t readable) = 0;
  // By one entry, with `len` in it.
  virtual void Use(const std::vector<Given>& batch, uint32_t len) = 0;
};

class Split final : public Ring {
 public:
  explicit Split(uint16_t size) : context_({.size = size, .in_order = true}) {}

  DriverQueue& driver() override { return context_.driver; }

  void Add(const Given& chain, uint32_t readable) override {
    context_.Add(std::vector<uint32_t>(readable, 1), Room(chain), chain.token);
    context_.driver.Publish();
  }

  void Use(const std::vector<Given>& batch, uint32_t len) override {
    const uint16_t mask = static_cast<uint16_t>(context_.driver.size() - 1);
    const auto last = static_cast<uint16_t>(used_ + batch.size() - 1);
    context_.device.SetUsed(used_ & mask, context_.device.Head(last & mask),
                            len);
    used_ = static_cast<uint16_t>(last + 1);
    context_.device.SetUsedIdx(used_);
  }

  static std::vector<uint32_t> Room(const Given& chain) {
    if (chain.room == 0) return {};
    return {chain.room};
  }

 private:
  DriverContext context_;
  uint16_t used_ = 0;
};

class Packed final : public Ring {
 public:
  explicit Packed(uint16_t size) : context_({.size = size, .in_order = true}) {}

  DriverQueue& driver() override { return context_.driver; }

  void Add(const Given& chain, uint32_t readable) override {
    context_.Add(std::vector<uint32_t>(readable, 1), Split::Room(chain),
                 chain.token);
    context_.driver.Publish();
  }

  void Use(const std::vector<Given>& batch, uint32_t len) override {
    const uint16_t first = slot_;
    const bool wrap_counter = wrap_counter_;
    uint16_t last = 0;
    for (const Given& chain : batch) {
      for (uint32_t i = 0; i < chain.slots; ++i) last = Step();
    }
    context_.Use(first, context_.IdAt(last), len, wrap_counter);
  }

 private:
  uint16_t Step() {
    const uint16_t here = slot_;
    slot_ = static_cast<uint16_t>((here + 1) % context_.driver.size());
    if (slot_ == 0) wrap_counter_ = !wrap_counter_;
    return here;
  }

  PackedDriverContext context_;
  uint16_t slot_ = 0;
  bool wrap_counter_ = true;
};

class AnyBatch {
 public:
  AnyBatch(std::unique_ptr<Ring> ring, uint16_t size)
      : ring_(std::move(ring)), free_(size) {}

  void Add(uint32_t readable, uint32_t room) {
    const Given chain = {.token = next_token_,
                         .room = room,
                         .slots = readable + (room != 0 ? 1 : 0)};
    if (chain.slots > free_) return;
    ring_->Add(chain, readable);
    ++next_token_;
    free_ -= chain.slots;
    given_.push_back(chain);
  }

  void Use(size_t chains) {
    if (chains == 0 || chains > given_.size()) return;
    const std::vector<Given> batch(
        given_.begin(), given_.begin() + static_cast<std::ptrdiff_t>(chains));
    const Given& last = batch.back();
    const auto len = static_cast<uint32_t>(last.token % (last.room + 1));
    ring_->Use(batch, len);
    for (const Given& chain : batch) {
      // 2.7.9, 2.8.8: what is skipped was completely used.
      used_.push_back({chain, chain.token == last.token ? len : chain.room});
      given_.pop_front();
    }
  }

  void Collect() {
    const std::optional<Used> used = ring_->driver().Collect();
    ASSERT_EQ(used.has_value(), !used_.empty());
    if (used_.empty()) return;
    const auto [chain, len] = used_.front();
    used_.pop_front();
    free_ += chain.slots;
    ASSERT_EQ(used->token, chain.token);
    ASSERT_EQ(used->len, len);
  }

  void Check() const {
    ASSERT_EQ(ring_->driver().free_descriptors(), free_);
    ASSERT_EQ(ring_->driver().in_flight(), given_.size() + used_.size());
    ASSERT_EQ(ring_->driver().EnableNotifications(), !used_.empty());
    ASSERT_TRUE(ring_->driver().status().ok());
  }

  void Drain() {
    Use(given_.size());
    while (!used_.empty() && !testing::Test::HasFatalFailure()) Collect();
  }

 private:
  struct UsedChain {
    Given chain;
    uint32_t len = 0;
  };

  const std::unique_ptr<Ring> ring_;
  uint32_t free_;
  uint64_t next_token_ = 0;
  std::deque<Given> given_;
  std::deque<UsedChain> used_;
};

using Param = std::tuple<bool, uint16_t>;  // packed, size

class AnyBatchTest : public testing::TestWithParam<Param> {
 protected:
  static AnyBatch Make() {
    const auto [packed, size] = GetParam();
    if (packed) return AnyBatch(std::make_unique<Packed>(size), size);
    return AnyBatch(std::make_unique<Split>(size), size);
  }

  // Step 0 collects, so many more use that many chains, the others add one.
  static void Take(uint32_t step, AnyBatch& rings) {
    const uint32_t size = std::get<1>(GetParam());
    if (step == 0) return rings.Collect();
    if (step <= size) return rings.Use(step);
    if (step == size + 1) return rings.Add(/*readable=*/1, /*room=*/0);
    if (step == size + 2) return rings.Add(/*readable=*/0, /*room=*/5);
    rings.Add(/*readable=*/1, /*room=*/3);
  }
};

TEST_P(AnyBatchTest, IsCollectedChainByChainWhateverItsLength) {
  constexpr int kLength = 6;
  const uint32_t steps = std::get<1>(GetParam()) + 4u;
  AnyBatch rings = Make();
  std::vector<uint32_t> sequence(kLength);

  for (bool more = true; more;) {
    for (const uint32_t step : sequence) {
      Take(step, rings);
      rings.Check();
      ASSERT_FALSE(HasFatalFailure()) << testing::PrintToString(sequence);
    }
    rings.Drain();
    more = false;
    for (size_t i = 0; i < sequence.size() && !more; ++i) {
      sequence[i] = (sequence[i] + 1) % steps;
      more = sequence[i] != 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallRings, AnyBatchTest,
                         testing::Values(Param{false, 1}, Param{false, 2},
                                         Param{false, 4}, Param{true, 1},
                                         Param{true, 2}, Param{true, 3},
                                         Param{true, 4}),
                         [](const auto& test) {
                           return (std::get<0>(test.param)
                                       ? std::string("Packed")
                                       : std::string("Split")) +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace virtqueue
