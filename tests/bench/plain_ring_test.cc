#include "bench/plain_ring.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace bench {
namespace {

constexpr uint32_t kRingSize = 256;
constexpr uint64_t kChainBytes = 64;

template <typename Ring>
void Add(Ring& ring, uint32_t chains) {
  for (; chains != 0; --chains) ring.Add();
}

template <typename Ring>
class PlainRingTest : public testing::Test {};

using EveryRing = testing::Types<PlainRing<Publishing::kEachChain>,
                                 PlainRing<Publishing::kBatchFenced>>;
TYPED_TEST_SUITE(PlainRingTest, EveryRing);

TYPED_TEST(PlainRingTest, AFullRingComesBackAgainAndAgain) {
  constexpr uint32_t kLaps = 3 * 65536 / kRingSize;  // both idx wrap
  TypeParam ring;

  for (uint32_t lap = 1; lap <= kLaps; ++lap) {
    Add(ring, kRingSize);
    ring.PublishAdded();
    ring.Serve(kRingSize);
    ASSERT_EQ(ring.Collect(kRingSize), kRingSize);
    ASSERT_EQ(ring.bytes_served(), lap * kRingSize * kChainBytes);
  }
}

TYPED_TEST(PlainRingTest, NoMoreIsServedOrCollectedThanAskedFor) {
  TypeParam ring;
  Add(ring, 5);
  ring.PublishAdded();

  ring.Serve(3);

  EXPECT_EQ(ring.bytes_served(), 3 * kChainBytes);
  EXPECT_EQ(ring.Collect(2), 2u);
  EXPECT_EQ(ring.Collect(2), 1u);
  EXPECT_EQ(ring.Collect(2), 0u);
}

TEST(PlainRingPublishingTest, EachChainIsThereAsSoonAsItIsAdded) {
  PlainRing<Publishing::kEachChain> ring;
  Add(ring, 2);

  ring.Serve(kRingSize);

  EXPECT_EQ(ring.Collect(kRingSize), 2u);
}

TEST(PlainRingPublishingTest, ABatchIsThereOnceItIsPublished) {
  PlainRing<Publishing::kBatchFenced> ring;
  Add(ring, 2);

  ring.Serve(kRingSize);
  EXPECT_EQ(ring.Collect(kRingSize), 0u);
  ring.PublishAdded();
  ring.Serve(kRingSize);

  EXPECT_EQ(ring.Collect(kRingSize), 2u);
}

// Three batches there, six back; each is looked for once more.
void ExchangeBatches(PlainRing<Publishing::kBatchFenced>& ring) {
  for (int batch = 0; batch < 3; ++batch) {
    Add(ring, 4);
    ring.PublishAdded();
    ring.PublishAdded();
    ring.Serve(2);
    ring.Serve(2);
    ring.Serve(2);
  }
}

TEST(PlainRingPublishingTest, ABatchIsOneNotificationAndNothingIsNone) {
  PlainRing<Publishing::kBatchFenced> ring;
  ring.EnableNotifications();

  ExchangeBatches(ring);

  EXPECT_EQ(ring.driver_notifications(), 3u);
  EXPECT_EQ(ring.device_notifications(), 6u);
}

TEST(PlainRingPublishingTest, NobodyIsNotifiedUnasked) {
  PlainRing<Publishing::kBatchFenced> ring;

  ExchangeBatches(ring);

  EXPECT_EQ(ring.driver_notifications(), 0u);
  EXPECT_EQ(ring.device_notifications(), 0u);
}

}  // namespace
}  // namespace bench
