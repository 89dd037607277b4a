#include "bench/unix_throughput.h"

#include <sys/socket.h>

#include <chrono>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace bench {
namespace {

constexpr Timing kShort = {.warm_up = std::chrono::milliseconds(1),
                           .window = std::chrono::milliseconds(20),
                           .repetitions = 1};

// SO_SNDBUF 8,192 takes effect as 16,384, of which a datagram may have 32 less.
TEST(UnixThroughputTest, DatagramLargerThanTheSendBufferIsRefused) {
  const absl::StatusOr<Spread> rate = MeasureUnixThroughput(
      {.type = SOCK_DGRAM, .send_buffer = 8192, .message_bytes = 16384 - 31},
      kShort);

  EXPECT_TRUE(absl::IsInvalidArgument(rate.status())) << rate.status();
}

TEST(UnixThroughputTest, LargestDatagramGoes) {
  const absl::StatusOr<Spread> rate = MeasureUnixThroughput(
      {.type = SOCK_DGRAM, .send_buffer = 8192, .message_bytes = 16384 - 32},
      kShort);

  EXPECT_TRUE(rate.ok()) << rate.status();
}

TEST(UnixThroughputTest, StreamTakesMessagesLargerThanItsBuffer) {
  const absl::StatusOr<Spread> rate = MeasureUnixThroughput(
      {.type = SOCK_STREAM, .send_buffer = 8192, .message_bytes = 65536},
      kShort);

  EXPECT_TRUE(rate.ok()) << rate.status();
}

}  // namespace
}  // namespace bench
