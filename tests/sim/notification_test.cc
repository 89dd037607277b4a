// A producer and a consumer over a ring with notifications, against the closed
// forms for deterministic times. Regimes as in Rizzo, Garzarella, Lettieri and
// Maffione, "A Study of Speed Mismatches Between Communicating Virtual
// Machines", ANCS 2016: the cost of notifications, not the slower party, may
// set the pace.
//
// W: work for an item. N: what a notification costs its sender. S: from the
// start of the notification to the first step of the one woken. No parameters
// here let two things happen at one instant where the order would matter.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/event_loop.h"
#include "sim/processors.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

struct Party {
  int64_t work;          // W
  int64_t notification;  // N, to notify the other
  int64_t wakeup;        // S, until this one is awake
  bool polls = false;    // instead of sleeping
};

struct Exchange {
  Party producer;
  Party consumer;
  int64_t slots = 1'000'000;
  int64_t wake_when_free = 1;  // k
};

// A notification, and how many items had been done when it started.
struct Notification {
  int64_t at;
  int64_t items;
};

// One side of the ring: works when it can, else sleeps or polls. With the last
// burst done it may owe a notification, which the next burst begins with.
class Side : public Task {
 public:
  Side(const Party& self, Processors& cpu) : self_(self), cpu_(cpu) {}

  void Connect(Side& other) { other_ = &other; }

  std::optional<Nanos> Run(Instant now) override {
    Nanos burst(0);
    if (std::exchange(working_, false)) {
      Finish();
      ++done_;
      if (other_->asleep_ && OtherMayGoOn()) {
        notifications_.push_back({now.value(), done_});
        other_->Wake();
        burst = Nanos(self_.notification);
      }
    }
    if (MayGoOn()) {
      working_ = true;
      return burst + Nanos(self_.work);
    }
    if (burst > Nanos(0)) return burst;
    if (self_.polls) return Nanos(1);
    asleep_ = true;
    return std::nullopt;
  }

  int64_t done() const { return done_; }
  const std::vector<Notification>& notifications() const {
    return notifications_;
  }

 protected:
  virtual void Finish() = 0;
  virtual bool MayGoOn() const = 0;
  virtual bool OtherMayGoOn() const = 0;

 private:
  void Wake() {
    asleep_ = false;
    cpu_.Ready(*this, Nanos(self_.wakeup));
  }

  const Party self_;
  Processors& cpu_;
  Side* other_ = nullptr;
  bool working_ = false;
  bool asleep_ = false;
  int64_t done_ = 0;
  std::vector<Notification> notifications_;
};

struct Ring {
  int64_t filled = 0;
  int64_t slots = 0;
  int64_t wake_when_free = 0;
};

class Producer final : public Side {
 public:
  Producer(const Party& self, Processors& cpu, Ring& ring)
      : Side(self, cpu), ring_(ring) {}

 private:
  void Finish() override { ++ring_.filled; }
  bool MayGoOn() const override { return ring_.filled < ring_.slots; }
  bool OtherMayGoOn() const override { return true; }
  Ring& ring_;
};

class Consumer final : public Side {
 public:
  Consumer(const Party& self, Processors& cpu, Ring& ring)
      : Side(self, cpu), ring_(ring) {}

 private:
  void Finish() override { --ring_.filled; }
  bool MayGoOn() const override { return ring_.filled > 0; }
  bool OtherMayGoOn() const override {
    return ring_.slots - ring_.filled >= ring_.wake_when_free;
  }
  Ring& ring_;
};

struct Pair {
  static constexpr int64_t kLength = 2'000'000;

  explicit Pair(const Exchange& exchange, int64_t length = kLength)
      : ring{0, exchange.slots, exchange.wake_when_free},
        producer(exchange.producer, producer_cpu, ring),
        consumer(exchange.consumer, consumer_cpu, ring) {
    producer.Connect(consumer);
    consumer.Connect(producer);
    consumer_cpu.Ready(consumer, Nanos(0));  // finds nothing, and sleeps
    producer_cpu.Ready(producer, Nanos(0));
    loop.RunUntil(Instant(length));
    EXPECT_TRUE(producer_cpu.Check().ok() && consumer_cpu.Check().ok());
  }

  EventLoop loop;
  Processors producer_cpu{loop, "producer", {}};
  Processors consumer_cpu{loop, "consumer", {}};
  Ring ring;
  Producer producer;
  Consumer consumer;
};

// From the second notification on, each is `items` items and `nanos` after the
// one before it: throughput exactly items / nanos.
void ExpectEachCycle(const std::vector<Notification>& notifications,
                     int64_t items, int64_t nanos) {
  ASSERT_GT(notifications.size(), 5u);
  for (size_t i = 2; i < notifications.size(); ++i) {
    const Notification& last = notifications[i - 1];
    ASSERT_EQ(notifications[i].items - last.items, items) << i;
    ASSERT_EQ(notifications[i].at - last.at, nanos) << i;
  }
}

// m: the smallest with N_p + m W_p > S_c + m W_c.
int64_t ItemsPerFastNotification(const Exchange& exchange) {
  const int64_t head_start =
      exchange.consumer.wakeup - exchange.producer.notification;
  int64_t m = 1;
  while (m * (exchange.producer.work - exchange.consumer.work) <= head_start)
    ++m;
  return m;
}

Exchange FastConsumer(int64_t w_p, int64_t n_p, int64_t w_c, int64_t s_c) {
  return {.producer = {.work = w_p, .notification = n_p, .wakeup = 1},
          .consumer = {.work = w_c, .notification = 1, .wakeup = s_c}};
}

TEST(NotificationTest, FastConsumerIsNotifiedEveryMItems) {
  for (const Exchange& exchange :
       {FastConsumer(300, 500, 101, 2000), FastConsumer(300, 500, 253, 2000),
        FastConsumer(1000, 1300, 400, 1000), FastConsumer(200, 0, 7, 5003),
        FastConsumer(100, 2000, 99, 2021),
        FastConsumer(777, 1500, 131, 9000)}) {
    const int64_t m = ItemsPerFastNotification(exchange);

    const Pair pair(exchange);

    ExpectEachCycle(
        pair.producer.notifications(), m,
        m * exchange.producer.work + exchange.producer.notification);
  }
}

// The same, with the figures worked out by hand.
TEST(NotificationTest, FastConsumerTakesTheTimeWorkedOutByHand) {
  // floor((2000 - 500) / (300 - 101)) + 1 = 8, 8 * 300 + 500 = 2900.
  const Pair pair(FastConsumer(300, 500, 101, 2000));

  ExpectEachCycle(pair.producer.notifications(), 8, 2900);
}

TEST(NotificationTest, FasterConsumerLowersThroughput) {
  int64_t items_before = INT64_MAX;
  for (const int64_t w_c : {293, 253, 203, 151, 101, 51}) {
    const Pair pair(FastConsumer(300, 500, w_c, 2000));

    EXPECT_LT(pair.consumer.done(), items_before) << w_c;
    items_before = pair.consumer.done();
  }
}

// m': the first item of the refill that finds the ring full. With the k-th slot
// free at time 0, the producer publishes item i at S_p + i W_p and the consumer
// is done with its j-th at N_c + j W_c; full is i = k + j.
int64_t ItemsPerSlowNotification(const Exchange& exchange) {
  int64_t items = exchange.wake_when_free;
  for (;; ++items) {
    const int64_t now =
        exchange.producer.wakeup + items * exchange.producer.work;
    const int64_t since = now - exchange.consumer.notification;
    const int64_t consumed = since < 0 ? 0 : since / exchange.consumer.work;
    if (items >= exchange.wake_when_free + consumed) return items;
  }
}

Exchange SlowConsumer(int64_t w_p, int64_t s_p, int64_t w_c, int64_t n_c) {
  return {.producer = {.work = w_p, .notification = 1, .wakeup = s_p},
          .consumer = {.work = w_c, .notification = n_c, .wakeup = 1}};
}

TEST(NotificationTest, SlowConsumerNotifiesEveryMItems) {
  for (Exchange exchange :
       {SlowConsumer(101, 2003, 300, 500), SlowConsumer(251, 2003, 300, 500),
        SlowConsumer(11, 4001, 1000, 1700), SlowConsumer(399, 1009, 500, 70)}) {
    for (const int64_t k : {1, 8, 50, 100}) {
      exchange.slots = 128;
      exchange.wake_when_free = k;
      const int64_t m = ItemsPerSlowNotification(exchange);

      const Pair pair(exchange);

      ExpectEachCycle(
          pair.consumer.notifications(), m,
          m * exchange.consumer.work + exchange.consumer.notification);
    }
  }
}

// The same, worked out by hand for k = 8. When the producer has published 18
// items, at 2003 + 18 * 101 = 3821, floor((3821 - 500) / 300) = 11 more slots
// are free: 19, one is left. With the 19th, at 3922, there are still 11: full.
TEST(NotificationTest, SlowConsumerTakesTheTimeWorkedOutByHand) {
  Exchange exchange = SlowConsumer(101, 2003, 300, 500);
  exchange.slots = 128;
  exchange.wake_when_free = 8;

  const Pair pair(exchange);

  ExpectEachCycle(pair.consumer.notifications(), 19, 19 * 300 + 500);
}

TEST(NotificationTest, LargerKIsFasterUntilTheRingRunsDry) {
  Exchange exchange = SlowConsumer(101, 4003, 300, 500);
  exchange.slots = 64;
  const auto done_with = [&exchange](int64_t k) {
    exchange.wake_when_free = k;
    return Pair(exchange).consumer.done();
  };

  EXPECT_LT(done_with(1), done_with(16));
  EXPECT_LT(done_with(16), done_with(40));
  // (64 - 63) W_c is over long before S_p + W_p.
  EXPECT_GT(done_with(40), done_with(63));
}

TEST(NotificationTest, BusyPollingGoesAtThePaceOfTheSlower) {
  for (const auto& [w_p, w_c] :
       {std::pair<int64_t, int64_t>{7, 5}, {5, 7}, {13, 2}, {2, 13}}) {
    const Exchange exchange = {.producer = {w_p, 0, 0, /*polls=*/true},
                               .consumer = {w_c, 0, 0, /*polls=*/true},
                               .slots = 16};
    const int64_t length = 100'000;
    const Pair pair(exchange, length);

    const int64_t pace = std::max(w_p, w_c);
    // What is under way at the end, and what it takes to begin.
    EXPECT_LE(pair.consumer.done(), length / pace);
    EXPECT_GE(pair.consumer.done(), length / pace - 4);
    EXPECT_TRUE(pair.producer.notifications().empty());
  }
}

}  // namespace
}  // namespace sim
