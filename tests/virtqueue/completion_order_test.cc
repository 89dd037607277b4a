// Tries virtqueue/completion_order.h against virtio 1.3, 6.2, 2.7.9, 2.8.8.

#include "virtqueue/completion_order.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace virtqueue {
namespace {

using Batch = CompletionOrder::Batch;

class CompletionOrderTest : public testing::Test {
 protected:
  // `count` chains of ids 10, 11, ... have their turns, from 0 on.
  void Enter(uint16_t count) {
    for (uint16_t i = 0; i < count; ++i) EXPECT_EQ(order.Enter(), i);
  }

  void Complete(uint16_t turn, bool whole, uint32_t written = 0) {
    order.Complete(turn, {.id = static_cast<uint16_t>(10 + turn),
                          .slots = 2,
                          .written = written,
                          .whole = whole});
  }

  CompletionOrder order{4};
};

TEST_F(CompletionOrderTest, HasNoBatchWhileTheOldestIsNotCompleted) {
  Enter(3);
  Complete(1, /*whole=*/true);
  Complete(2, /*whole=*/true);

  EXPECT_FALSE(order.TakeBatch().has_value());
  EXPECT_EQ(order.completed(), 2u);
}

TEST_F(CompletionOrderTest, MakesOneBatchOfWhatIsWhole) {
  Enter(3);
  Complete(2, /*whole=*/true, /*written=*/7);
  Complete(0, /*whole=*/true, /*written=*/5);
  Complete(1, /*whole=*/true, /*written=*/6);

  const std::optional<Batch> batch = order.TakeBatch();

  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->id, 12);
  EXPECT_EQ(batch->written, 7u);
  EXPECT_EQ(batch->chains, 3u);
  EXPECT_EQ(batch->slots, 6u);
  EXPECT_FALSE(order.TakeBatch().has_value());
  EXPECT_EQ(order.completed(), 0u);
}

TEST_F(CompletionOrderTest, EndsABatchWithTheFirstThatIsNotWhole) {
  Enter(3);
  Complete(0, /*whole=*/true);
  Complete(1, /*whole=*/false, /*written=*/3);
  Complete(2, /*whole=*/true);

  const std::optional<Batch> first = order.TakeBatch();
  const std::optional<Batch> second = order.TakeBatch();

  EXPECT_EQ(first->chains, 2u);
  EXPECT_EQ(first->id, 11);
  EXPECT_EQ(first->written, 3u);
  EXPECT_EQ(second->chains, 1u);
  EXPECT_EQ(second->id, 12);
}

TEST_F(CompletionOrderTest, EndsABatchBeforeTheFirstThatIsNotCompleted) {
  Enter(3);
  Complete(0, /*whole=*/true);
  Complete(2, /*whole=*/true);

  EXPECT_EQ(order.TakeBatch()->id, 10);
  EXPECT_FALSE(order.TakeBatch().has_value());
  Complete(1, /*whole=*/true);
  EXPECT_EQ(order.TakeBatch()->chains, 2u);
}

TEST_F(CompletionOrderTest, MakesNoBatchLongerThanThereAreChains) {
  Enter(4);
  for (uint16_t turn = 0; turn < 4; ++turn) Complete(turn, /*whole=*/true);

  EXPECT_EQ(order.TakeBatch()->chains, 4u);
  EXPECT_FALSE(order.TakeBatch().has_value());
}

TEST_F(CompletionOrderTest, GivesTurnsThatGoRound) {
  for (uint16_t i = 0; i < 10; ++i) {
    const uint16_t turn = order.Enter();
    EXPECT_EQ(turn, i % 4);
    Complete(turn, /*whole=*/false);
    EXPECT_EQ(order.TakeBatch()->id, 10 + i % 4);
  }
}

TEST_F(CompletionOrderTest, OneMoreThanItHoldsIsOurOwnFault) {
  Enter(4);

  EXPECT_DEATH(order.Enter(), "");
}

TEST_F(CompletionOrderTest, CompletingTwiceIsOurOwnFault) {
  Enter(1);
  Complete(0, /*whole=*/true);

  EXPECT_DEATH(Complete(0, /*whole=*/true), "");
}

}  // namespace
}  // namespace virtqueue
