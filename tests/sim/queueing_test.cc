// The event loop and the processors against queueing theory: customers are
// tasks, servers are processors.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/actor.h"
#include "sim/event_loop.h"
#include "sim/processors.h"
#include "sim/random.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

// Times are drawn in nanoseconds; a unit is large enough for rounding not to
// show.
constexpr int64_t kUnit = 1'000'000;
// Customers are as many as it takes for one percent to be three standard errors
// or more, as measured over 40 seeds.
constexpr double kOnePercent = 0.01;

using Draw = std::function<Nanos()>;

Draw Exponential(double mean, Random random) {
  const Nanos nanos(static_cast<int64_t>(mean * kUnit));
  return [nanos, random]() mutable { return random.Exponential(nanos); };
}

Draw Fixed(double length) {
  return
      [nanos = Nanos(static_cast<int64_t>(length * kUnit))] { return nanos; };
}

// One burst each time it is made ready, then `done`.
class Service final : public Task {
 public:
  Service(const Draw& length, std::function<void(Instant)> done)
      : length_(length), done_(std::move(done)) {}

  std::optional<Nanos> Run(Instant now) override {
    in_service_ = !in_service_;
    if (in_service_) return length_();
    done_(now);
    return std::nullopt;
  }

 private:
  const Draw& length_;
  const std::function<void(Instant)> done_;
  bool in_service_ = false;
};

// Arrivals from outside, which leave after one service, or at once if there are
// `room` inside.
class OpenQueue final : public Actor {
 public:
  OpenQueue(EventLoop& loop, Draw gap, Draw length, uint32_t servers = 1,
            uint64_t room = std::numeric_limits<uint64_t>::max())
      : Actor(loop, "arrivals"),
        gap_(std::move(gap)),
        length_(std::move(length)),
        room_(room),
        cpus_(loop, "servers", {.count = servers}) {
    WakeAt(Instant(0));
  }

  void OnWake(Instant now) override {
    ++arrived_;
    if (inside_ == room_) {
      ++lost_;
    } else {
      Enter(now);
    }
    WakeAt(now + gap_());
  }

  void Serve(uint64_t customers) {
    constexpr Nanos kPiece(1000 * kUnit);
    while (served_ < customers) loop().RunUntil(loop().now() + kPiece);
    EXPECT_TRUE(cpus_.Check().ok()) << cpus_.Check();
  }

  double MeanTimeInside() const { return InUnits(sojourn_, served_); }
  double MeanWait() const {
    Nanos waiting(0);
    for (const auto& customer : customers_) {
      waiting = waiting + customer->use().waiting;
    }
    return InUnits(waiting.value(), served_);
  }
  double ShareLost() const {
    return static_cast<double>(lost_) / static_cast<double>(arrived_);
  }

 private:
  static double InUnits(int64_t nanos, uint64_t customers) {
    return static_cast<double>(nanos) / kUnit / static_cast<double>(customers);
  }

  void Enter(Instant now) {
    if (free_.empty()) AddCustomer();
    const size_t i = free_.back();
    free_.pop_back();
    entered_[i] = now;
    ++inside_;
    cpus_.Ready(*customers_[i], Nanos(0));
  }

  void AddCustomer() {
    const size_t i = customers_.size();
    free_.push_back(i);
    entered_.emplace_back();
    customers_.push_back(
        std::make_unique<Service>(length_, [this, i](Instant now) {
          sojourn_ += (now - entered_[i]).value();
          ++served_;
          --inside_;
          free_.push_back(i);
        }));
  }

  Draw gap_;
  Draw length_;
  const uint64_t room_;
  Processors cpus_;
  std::vector<std::unique_ptr<Service>> customers_;
  std::vector<Instant> entered_;
  std::vector<size_t> free_;
  uint64_t inside_ = 0;
  uint64_t arrived_ = 0;
  uint64_t lost_ = 0;
  uint64_t served_ = 0;
  int64_t sojourn_ = 0;
};

void ExpectWithin(double measured, double expected, double share) {
  EXPECT_NEAR(measured / expected, 1, share)
      << "measured " << measured << ", closed form " << expected;
}

TEST(QueueingTest, MM1MeanTimeInSystem) {
  EventLoop loop;
  const Random random = Random(1).Fork("M/M/1");
  const double lambda = 0.5;
  const double mu = 1;
  OpenQueue queue(loop, Exponential(1 / lambda, random.Fork("gap")),
                  Exponential(1 / mu, random.Fork("length")));

  queue.Serve(1'000'000);

  ExpectWithin(queue.MeanTimeInside(), 1 / (mu - lambda), kOnePercent);
}

TEST(QueueingTest, MD1MeanWait) {
  EventLoop loop;
  const Random random = Random(1).Fork("M/D/1");
  const double lambda = 0.5;
  const double mu = 1;
  const double rho = lambda / mu;
  OpenQueue queue(loop, Exponential(1 / lambda, random.Fork("gap")),
                  Fixed(1 / mu));

  queue.Serve(2'000'000);

  ExpectWithin(queue.MeanWait(), rho / (2 * mu * (1 - rho)), kOnePercent);
}

TEST(QueueingTest, MM1KLoss) {
  EventLoop loop;
  const Random random = Random(1).Fork("M/M/1/K");
  const double rho = 0.8;
  const double rho_k = rho * rho * rho;
  OpenQueue queue(loop, Exponential(1 / rho, random.Fork("gap")),
                  Exponential(1, random.Fork("length")), /*servers=*/1,
                  /*room=*/3);

  queue.Serve(1'200'000);

  ExpectWithin(queue.ShareLost(), (1 - rho) * rho_k / (1 - rho_k * rho),
               kOnePercent);
}

// Erlang C with two servers: the wait is rho^2 / (1 - rho^2), in services.
TEST(QueueingTest, MM2MeanTimeInSystem) {
  EventLoop loop;
  const Random random = Random(1).Fork("M/M/2");
  const double rho = 0.5;
  OpenQueue queue(loop, Exponential(1 / (2 * rho), random.Fork("gap")),
                  Exponential(1, random.Fork("length")), /*servers=*/2);

  queue.Serve(600'000);

  ExpectWithin(queue.MeanTimeInside(), 1 + rho * rho / (1 - rho * rho),
               kOnePercent);
}

// A customer of a closed loop: thinks, is served at each station in turn, and
// begins again.
class Client final : public Actor {
 public:
  Client(EventLoop& loop, const Draw& think, std::vector<Processors*> stations,
         const std::vector<Draw>& demands)
      : Actor(loop, "client"), think_(think), stations_(std::move(stations)) {
    for (const Draw& demand : demands) {
      visits_.push_back(std::make_unique<Service>(
          demand, [this](Instant now) { GoOn(now); }));
    }
    WakeAt(loop.now());
  }

  void OnWake(Instant) override {
    station_ = 0;
    stations_[0]->Ready(*visits_[0], Nanos(0));
  }

  uint64_t rounds() const { return rounds_; }

 private:
  void GoOn(Instant now) {
    if (++station_ < stations_.size()) {
      stations_[station_]->Ready(*visits_[station_], Nanos(0));
    } else {
      ++rounds_;
      WakeAt(now + think_());
    }
  }

  const Draw& think_;
  const std::vector<Processors*> stations_;
  std::vector<std::unique_ptr<Service>> visits_;
  size_t station_ = 0;
  uint64_t rounds_ = 0;
};

// Rounds of `clients` in `length` units of time, through two stations.
uint64_t RoundsOfClosedLoop(int clients, const Draw& think,
                            const std::vector<Draw>& demands, int64_t length) {
  EventLoop loop;
  Processors first(loop, "first", {});
  Processors second(loop, "second", {});
  std::vector<std::unique_ptr<Client>> all;
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<Client>(
        loop, think, std::vector<Processors*>{&first, &second}, demands));
  }
  loop.RunUntil(Instant(length * kUnit));
  EXPECT_TRUE(first.Check().ok() && second.Check().ok());
  return std::transform_reduce(
      all.begin(), all.end(), uint64_t{0}, std::plus<>(),
      [](const auto& client) { return client->rounds(); });
}

// Reiser and Lavenberg 1980, mean value analysis, exact for exponential times.
double MeanValueAnalysis(int clients, double think,
                         const std::array<double, 2>& demands) {
  std::array<double, 2> length = {0, 0};
  double throughput = 0;
  for (int n = 1; n <= clients; ++n) {
    const std::array<double, 2> stay = {demands[0] * (1 + length[0]),
                                        demands[1] * (1 + length[1])};
    throughput = n / (think + stay[0] + stay[1]);
    length = {throughput * stay[0], throughput * stay[1]};
  }
  return throughput;
}

TEST(QueueingTest, ClosedLoopHasTheThroughputOfMeanValueAnalysis) {
  for (const int clients : {1, 3, 6}) {
    const Random random(1);
    const int64_t length = 200'000;
    const uint64_t rounds =
        RoundsOfClosedLoop(clients, Exponential(3, random.Fork("think")),
                           {Exponential(1, random.Fork("first")),
                            Exponential(0.6, random.Fork("second"))},
                           length);

    ExpectWithin(static_cast<double>(rounds) / length,
                 MeanValueAnalysis(clients, 3, {1, 0.6}), kOnePercent);
  }
}

TEST(QueueingTest, ClosedLoopWithoutChanceReachesItsBoundAndKeepsIt) {
  const double first = 1;
  const double second = 0.5;
  const double think = 2.5;
  const int64_t length = 10'000;
  for (int clients = 1; clients <= 8; ++clients) {
    const uint64_t rounds = RoundsOfClosedLoop(
        clients, Fixed(think), {Fixed(first), Fixed(second)}, length);

    const double bound = std::min(1 / std::max(first, second),
                                  clients / (first + second + think));
    // Those who are under way at the end have not come round.
    EXPECT_LE(static_cast<double>(rounds), bound * length);
    EXPECT_GE(static_cast<double>(rounds), bound * length - clients);
  }
}

}  // namespace
}  // namespace sim
