#include "sim/throughput.h"

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;

TEST(ThroughputTest, CountsFromTheBeginUpToButNotAtTheEnd) {
  Throughput throughput(Instant(100), Instant(200));

  throughput.Add(Instant(99), 1);
  throughput.Add(Instant(100), 10);
  throughput.Add(Instant(199), 100);
  throughput.Add(Instant(200), 1000);

  EXPECT_EQ(throughput.items(), 2u);
  EXPECT_EQ(throughput.bytes(), 110u);
}

TEST(ThroughputTest, RatesAreOverTheWholeWindow) {
  Throughput throughput(Instant(0), Instant(500'000'000));

  throughput.Add(Instant(1), 4096);
  throughput.Add(Instant(2), 4096);

  EXPECT_EQ(throughput.ItemsPerSecond(), 4);
  EXPECT_EQ(throughput.BytesPerSecond(), 16384);
}

TEST(ThroughputDeathTest, EmptyWindowIsOurBug) {
  EXPECT_DEATH(Throughput(Instant(5), Instant(5)), "check failed");
}

}  // namespace
}  // namespace sim
