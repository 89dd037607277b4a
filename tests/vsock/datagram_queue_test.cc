// The receive queue of a datagram socket: Linux's rule, and the seam it is.

#include "vsock/datagram_queue.h"

#include <utility>

#include "gtest/gtest.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"

namespace vsock {
namespace {

class DatagramQueueTest : public ::testing::Test {
 protected:
  bool Offer(DatagramQueue& queue, uint32_t charge, uint32_t len = 1) {
    PacketPtr packet = pool_.Allocate(len);
    return queue.Offer(packet, charge, tail_drop_, Instant(0));
  }

  PacketPool pool_{PayloadMode::kElided, nullptr};
  TailDrop tail_drop_;
};

TEST_F(DatagramQueueTest, KeepsOneThatOvershootsAndThenNone) {
  DatagramQueue queue(1000);

  EXPECT_TRUE(Offer(queue, 999));
  EXPECT_TRUE(Offer(queue, 5000));
  EXPECT_FALSE(Offer(queue, 1));
  EXPECT_EQ(queue.charged(), 5999u);
  EXPECT_EQ(queue.size(), 2u);
}

TEST_F(DatagramQueueTest, DropsAtExactlyTheLimit) {
  DatagramQueue queue(1000);
  ASSERT_TRUE(Offer(queue, 1000));

  EXPECT_FALSE(Offer(queue, 1));
}

TEST_F(DatagramQueueTest, LeavesADroppedPacketToItsCaller) {
  DatagramQueue queue(0);
  PacketPtr packet = pool_.Allocate(5);

  EXPECT_FALSE(queue.Offer(packet, 1, tail_drop_, Instant(0)));
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(packet->hdr.len, 5u);
}

TEST_F(DatagramQueueTest, GivesBackTheOldestAndItsCharge) {
  DatagramQueue queue(1000);
  Offer(queue, 300, 7);
  Offer(queue, 200, 8);

  EXPECT_EQ(queue.Take()->hdr.len, 7u);
  EXPECT_EQ(queue.charged(), 200u);
  EXPECT_EQ(queue.Take()->hdr.len, 8u);
  EXPECT_EQ(queue.charged(), 0u);
  EXPECT_EQ(queue.Take(), nullptr);
}

TEST_F(DatagramQueueTest, DefaultBufferHolds26DatagramsOf4096Bytes) {
  DatagramQueue queue(212992);
  int kept = 0;
  while (Offer(queue, 8448, 4096)) ++kept;

  EXPECT_EQ(kept, 26);
}

TEST_F(DatagramQueueTest, KeepsWhatItHoldsWhenItsLimitFallsBelow) {
  DatagramQueue queue(1000);
  Offer(queue, 900);
  queue.Resize(100);

  EXPECT_FALSE(Offer(queue, 1));
  EXPECT_EQ(queue.size(), 1u);
  queue.Take();
  EXPECT_TRUE(Offer(queue, 1));
}

class RecordingPolicy final : public DropPolicy {
 public:
  Verdict Decide(const QueueView& queue, uint32_t bytes, Instant now) override {
    seen_ = queue;
    bytes_ = bytes;
    now_ = now;
    return Verdict::kKeep;
  }
  QueueView seen_ = {};
  uint32_t bytes_ = 0;
  Instant now_;
};

TEST_F(DatagramQueueTest, PolicySeesTheStateBeforeTheArrival) {
  DatagramQueue queue(1000);
  Offer(queue, 300);
  RecordingPolicy policy;
  PacketPtr packet = pool_.Allocate(1);

  ASSERT_TRUE(queue.Offer(packet, 44, policy, Instant(9)));

  EXPECT_EQ(policy.seen_.charged, 300u);
  EXPECT_EQ(policy.seen_.limit, 1000u);
  EXPECT_EQ(policy.seen_.packets, 1u);
  EXPECT_EQ(policy.bytes_, 44u);
  EXPECT_EQ(policy.now_, Instant(9));
}

}  // namespace
}  // namespace vsock
