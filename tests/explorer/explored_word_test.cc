#include "tests/explorer/explored_word.h"

#include <atomic>
#include <cstdint>

#include "gtest/gtest.h"
#include "virtqueue/shared_le.h"

namespace virtqueue {
namespace {

class Liar : public Witness {
 public:
  uint64_t OnLoad(const void* word, std::memory_order order) override {
    word_ = word;
    order_ = order;
    return 7;
  }
  void OnStore(const void* word, uint64_t value,
               std::memory_order order) override {
    word_ = word;
    value_ = value;
    order_ = order;
  }

  const void* word_ = nullptr;
  uint64_t value_ = 0;
  std::memory_order order_ = std::memory_order_relaxed;
};

class ExploredWordTest : public testing::Test {
 protected:
  ~ExploredWordTest() override { Witness::Install(nullptr); }

  Liar liar_;
  SharedLe16 shared_ = {};
};

TEST_F(ExploredWordTest, WordIsMemoryWithoutAWitness) {
  shared_.Store(3, std::memory_order_release);

  EXPECT_EQ(shared_.Load(), 3);
}

TEST_F(ExploredWordTest, WitnessAnswersALoad) {
  Witness::Install(&liar_);

  EXPECT_EQ(shared_.Load(std::memory_order_acquire), 7);
  EXPECT_EQ(liar_.word_, &shared_);
  EXPECT_EQ(liar_.order_, std::memory_order_acquire);
}

TEST_F(ExploredWordTest, WitnessHasAStoreAndMemoryHasNot) {
  Witness::Install(&liar_);
  shared_.Store(5, std::memory_order_seq_cst);
  Witness::Install(nullptr);

  EXPECT_EQ(liar_.word_, &shared_);
  EXPECT_EQ(liar_.value_, 5u);
  EXPECT_EQ(liar_.order_, std::memory_order_seq_cst);
  EXPECT_EQ(shared_.Load(), 0);
}

}  // namespace
}  // namespace virtqueue
