#include "sim/validation/ring_exchange.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

constexpr int64_t kItems = 5000;

RingExchange FastConsumer() {
  return {.producer = {.work = 300, .notification = 500, .wakeup = 1},
          .consumer = {.work = 101, .notification = 1, .wakeup = 2000}};
}

// floor((2000 - 500) / (300 - 101)) + 1 = 8 items a notification.
TEST(RingExchangeTest, FastConsumerTakesTheTimeWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(SimulatedTimePerItem(FastConsumer(), kItems),
                   300 + 500.0 / 8);
  EXPECT_DOUBLE_EQ(
      FastConsumerTime(FastConsumer().producer, FastConsumer().consumer),
      300 + 500.0 / 8);
}

RingExchange SlowConsumer() {
  return {.producer = {.work = 101, .notification = 1, .wakeup = 2003},
          .consumer = {.work = 300, .notification = 500, .wakeup = 1},
          .ring_size = 128};
}

// Woken at the first free slot. At 2003 + 8 x 101 = 2811, when 8 items are
// published, floor((2811 - 500) / 300) = 7 more slots are free: full.
TEST(RingExchangeTest, SlowConsumerTakesTheTimeWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(SimulatedTimePerItem(SlowConsumer(), kItems),
                   300 + 500.0 / 8);
  EXPECT_DOUBLE_EQ(
      SlowConsumerTime(SlowConsumer().producer, SlowConsumer().consumer, 1),
      300 + 500.0 / 8);
}

TEST(RingExchangeTest, LateWakeupMakesNotificationsRarer) {
  RingExchange late = SlowConsumer();
  late.late_wakeup = true;

  EXPECT_LT(SimulatedTimePerItem(late, kItems),
            SimulatedTimePerItem(SlowConsumer(), kItems));
}

TEST(RingExchangeTest, PollingGoesAtThePaceOfTheSlower) {
  RingExchange exchange = SlowConsumer();
  exchange.polls = true;

  EXPECT_NEAR(SimulatedTimePerItem(exchange, kItems), 300, 0.5);
}

}  // namespace
}  // namespace sim
