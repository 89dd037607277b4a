// The charge of a datagram sender: test, then charge; woken at half.

#include "vsock/send_buffer.h"

#include "gtest/gtest.h"

namespace vsock {
namespace {

TEST(SendBufferTest, AdmitsOneThatOvershootsAndThenNone) {
  SendBuffer buffer(1000);
  buffer.Charge(999);
  EXPECT_TRUE(buffer.HasRoom());
  buffer.Charge(5000);

  EXPECT_FALSE(buffer.HasRoom());
  EXPECT_EQ(buffer.charged(), 5999u);
}

TEST(SendBufferTest, HasNoRoomAtExactlyTheLimit) {
  SendBuffer buffer(1000);
  buffer.Charge(1000);

  EXPECT_FALSE(buffer.HasRoom());
  buffer.Release(1);
  EXPECT_TRUE(buffer.HasRoom());
}

TEST(SendBufferTest, WakesItsWriterFromHalfFullDownwards) {
  SendBuffer buffer(1000);
  buffer.Charge(1000);
  buffer.Release(499);
  EXPECT_FALSE(buffer.WakesWriter());  // 501

  buffer.Release(1);
  EXPECT_TRUE(buffer.WakesWriter());  // 500
}

TEST(SendBufferTest, ChargeOfNothingNeverFillsIt) {
  SendBuffer buffer(1);
  for (int i = 0; i < 1000000; ++i) buffer.Charge(0);

  EXPECT_TRUE(buffer.HasRoom());
}

TEST(SendBufferTest, ChargesBeyond32BitsAreNotLost) {
  SendBuffer buffer(0xffffffff);
  buffer.Charge(0xfffffffe);
  buffer.Charge(131328);

  EXPECT_EQ(buffer.charged(), uint64_t{0xfffffffe} + 131328);
  EXPECT_FALSE(buffer.HasRoom());
}

TEST(SendBufferDeathTest, ReleaseOfWhatWasNeverChargedIsOurBug) {
  SendBuffer buffer(1000);
  buffer.Charge(10);

  EXPECT_DEATH(buffer.Release(11), "check failed");
}

}  // namespace
}  // namespace vsock
