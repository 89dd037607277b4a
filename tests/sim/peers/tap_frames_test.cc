#include "sim/peers/tap_frames.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "sim/platform.pb.h"

namespace sim {
namespace {

TapSend Contiguous(uint32_t batch, uint32_t payload_bytes) {
  return {.shape = FrameShape::kContiguous,
          .batch = batch,
          .payload_bytes = payload_bytes};
}

TapSend Gathered(uint32_t batch, uint32_t payload_bytes) {
  return {.batch = batch, .payload_bytes = payload_bytes};
}

// Costs that no two counts share, so that each shows in the sum.
Platform DistinctCosts() {
  Platform platform;
  platform.mutable_syscall()->set_mode(1'000'000);
  platform.mutable_iovec()->set_mode(10'000);
  platform.mutable_packet_allocation()->set_mode(1000);
  platform.mutable_unix_pages()->set_mode(10);
  platform.mutable_copy()->set_mode(0);
  platform.mutable_user_copy()->set_mode(0);
  return platform;
}

// A frame: 4 of length, 14 of Ethernet, 20 of IPv4, and the payload.
TEST(TapFramesModelTest, ContiguousFrameIsCopiedTwiceAndHasOneIovec) {
  const TapCounts counts = CountTapSend(Contiguous(1, 64));

  EXPECT_EQ(counts.iovecs, 1u);
  EXPECT_EQ(counts.bytes_joined, 64u);
  EXPECT_EQ(counts.bytes_sent, 102u);
}

TEST(TapFramesModelTest, GatheredFrameIsCopiedOnceAndHasFourIovecs) {
  const TapCounts counts = CountTapSend(Gathered(1, 64));

  EXPECT_EQ(counts.iovecs, 4u);
  EXPECT_EQ(counts.bytes_joined, 0u);
  EXPECT_EQ(counts.bytes_sent, 102u);
}

TEST(TapFramesModelTest, Ipv6HeaderIsTwentyBytesLonger) {
  TapSend send = Gathered(1, 64);
  send.ip = IpVersion::k6;

  EXPECT_EQ(CountTapSend(send).bytes_sent, 122u);
}

// 128 frames of 102 bytes are 13,056: one socket buffer takes up to 36,544. The
// 9,280 beyond its head of 3,776 take three pages, runs of two and of one.
TEST(TapFramesModelTest, SmallFramesOfABatchShareASocketBuffer) {
  const TapCounts counts = CountTapSend(Gathered(128, 64));

  EXPECT_EQ(counts.iovecs, 512u);
  EXPECT_EQ(counts.socket_buffers, 1u);
  EXPECT_EQ(counts.page_runs, 2u);
}

// 32 frames of 1,486 bytes are 47,552: 36,544 and 11,008, whose 7,232 beyond
// the head take two pages.
TEST(TapFramesModelTest, SocketBuffersAreCutWhereFramesAreNot) {
  const TapCounts counts = CountTapSend(Contiguous(32, 1448));

  EXPECT_EQ(counts.socket_buffers, 2u);
  EXPECT_EQ(counts.page_runs, 2u);
}

// 65,038 bytes: 36,544 with a run of eight pages, 28,494 with runs of four, two
// and one.
TEST(TapFramesModelTest, LargeFrameTakesTwoSocketBuffers) {
  const TapCounts counts = CountTapSend(Gathered(1, 65000));

  EXPECT_EQ(counts.socket_buffers, 2u);
  EXPECT_EQ(counts.page_runs, 4u);
}

// sndbuf 16,384: no socket buffer of more than half of it less 64.
TEST(TapFramesModelTest, SendBufferBoundsTheSocketBuffers) {
  TapSend send = Gathered(1, 16384 - 38);
  send.send_buffer = 16384;

  EXPECT_EQ(CountTapSend(send).socket_buffers, 3u);
}

TEST(TapFramesModelTest, FramesOfACallShareItsPrice) {
  // A call, 31 further iovecs, one socket buffer, pages: 3,264 bytes need none.
  EXPECT_EQ(TapPsPerFrame(DistinctCosts(), Contiguous(32, 64)),
            uint64_t{1'000'000 + 31 * 10'000 + 1000} * 1000 / 32);
  EXPECT_EQ(TapPsPerFrame(DistinctCosts(), Gathered(32, 64)),
            uint64_t{1'000'000 + 127 * 10'000 + 1000} * 1000 / 32);
}

TEST(TapFramesModelTest, EachCopyHasItsOwnPrice) {
  Platform platform;
  platform.mutable_copy()->set_mode(100);
  platform.mutable_user_copy()->set_mode(7);

  EXPECT_EQ(TapPsPerFrame(platform, Contiguous(1, 1000)),
            1038u * 100 + 1000 * 7);
  EXPECT_EQ(TapPsPerFrame(platform, Gathered(1, 1000)), 1038u * 100);
}

TEST(TapFramesModelTest, GatheringLosesWhereCopiesAreFree) {
  EXPECT_LT(PredictIovecGain(DistinctCosts(), IpVersion::k4), 1);
}

// Of 65,520 bytes 15 whole pages are data, behind 20 of TCP. If copies are all
// that costs and cost the same, the copy saved is all but the other headers.
TEST(TapFramesModelTest, GainIsTwoAtMostWhereCopiesAreAllThatCosts) {
  Platform platform;
  platform.mutable_copy()->set_mode(100);
  platform.mutable_user_copy()->set_mode(100);

  EXPECT_NEAR(PredictIovecGain(platform, IpVersion::k4),
              1 + 61460.0 / (61460 + 38), 1e-6);
  EXPECT_NEAR(PredictIovecGain(platform, IpVersion::k6),
              1 + 61460.0 / (61460 + 58), 1e-6);
}

}  // namespace
}  // namespace sim
