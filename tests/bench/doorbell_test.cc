#include "bench/doorbell.h"

#include <cstdint>
#include <thread>

#include "gtest/gtest.h"

namespace bench {
namespace {

TEST(DoorbellTest, BellsRungTogetherAreTakenTogetherAndOnce) {
  Doorbell bell(Waiting::kSleep);
  bell.Ring(kTxBell);
  bell.Ring(kRxBell);

  EXPECT_EQ(bell.Take(), kTxBell | kRxBell);
  EXPECT_EQ(bell.Take(), 0u);
}

TEST(DoorbellTest, WaitReturnsAtOnceWhenItHasRungBefore) {
  Doorbell bell(Waiting::kSleep);
  bell.Ring(kTxBell);

  bell.Wait();

  EXPECT_EQ(bell.sleeps(), 0u);
}

// Each thread sleeps until the other has rung: one lost ring and both hang.
TEST(DoorbellTest, NoRingIsLostBetweenTwoThreadsThatAnswerEachOther) {
  constexpr uint32_t kRounds = 5000;
  Doorbell ours(Waiting::kSleep);
  Doorbell theirs(Waiting::kSleep);
  uint32_t answered = 0;
  std::thread other([&] {
    while (answered < kRounds) {
      theirs.Wait();
      if (theirs.Take() == 0) continue;
      ++answered;
      ours.Ring(kRxBell);
    }
  });
  for (uint32_t round = 0; round < kRounds; ++round) {
    theirs.Ring(kTxBell);
    while (ours.Take() == 0) ours.Wait();
  }
  other.join();

  EXPECT_EQ(answered, kRounds);
}

TEST(DoorbellTest, PollingDoorbellAlwaysHasBothQueuesToLookAt) {
  Doorbell bell(Waiting::kPoll);

  bell.Wait();

  EXPECT_EQ(bell.Take(), kTxBell | kRxBell);
  EXPECT_EQ(bell.Take(), kTxBell | kRxBell);
}

}  // namespace
}  // namespace bench
