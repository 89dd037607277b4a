// Credit arithmetic against numbers worked out by hand.

#include "vsock/credit.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "vsock/hdr.h"

namespace vsock {
namespace {

constexpr uint32_t kDefault = 262144;

VsockHdr Announcing(uint32_t buf_alloc, uint32_t fwd_cnt) {
  VsockHdr hdr;
  hdr.buf_alloc = buf_alloc;
  hdr.fwd_cnt = fwd_cnt;
  return hdr;
}

Credit OfPeer(uint32_t peer_buf_alloc, uint32_t buf_alloc = kDefault) {
  Credit credit(buf_alloc);
  credit.OnPeer(Announcing(peer_buf_alloc, 0));
  return credit;
}

// Takes in and reads whole packets of 4096 bytes, `unread` of them left over.
Credit Reader(uint32_t read, uint32_t unread) {
  Credit credit(kDefault);
  for (uint32_t i = 0; i < read + unread; ++i) credit.Accept(4096);
  for (uint32_t i = 0; i < read; ++i) {
    credit.OnRead(4096);
    credit.OnFreed(4096);
  }
  return credit;
}

TEST(CreditTest, NothingMayBeSentBeforeThePeerAnnounces) {
  Credit credit(kDefault);

  EXPECT_EQ(credit.Space(), 0u);
  EXPECT_EQ(credit.Take(1), 0u);
}

TEST(CreditTest, GrantsWhatThePeerAnnouncedAndNoMore) {
  Credit credit = OfPeer(1000);

  EXPECT_EQ(credit.Take(600), 600u);
  EXPECT_EQ(credit.Take(600), 400u);
  EXPECT_EQ(credit.Take(600), 0u);
  EXPECT_EQ(credit.tx_cnt(), 1000u);
}

TEST(CreditTest, ReturnsWhatWasReservedForAPacketThatNeverCameToBe) {
  Credit credit = OfPeer(1000);
  credit.Take(1000);
  credit.Return(300);

  EXPECT_EQ(credit.Space(), 300u);
  EXPECT_EQ(credit.tx_cnt(), 700u);
}

TEST(CreditTest, WhatThePeerConsumedMayBeSentAgain) {
  Credit credit = OfPeer(1000);
  credit.Take(1000);

  EXPECT_FALSE(credit.OnPeer(Announcing(1000, 0)));
  EXPECT_TRUE(credit.OnPeer(Announcing(1000, 250)));
  EXPECT_EQ(credit.Space(), 250u);
}

TEST(CreditTest, LocalBufferCapsWhatALargePeerAllows) {
  EXPECT_EQ(OfPeer(0x80000000, 65536).Space(), 65536u);
  EXPECT_EQ(OfPeer(0xffffffff, 65536).Space(), 65536u);
  EXPECT_EQ(OfPeer(65536, 0xffffffff).Space(), 65536u);
}

// Where tx_cnt and fwd_cnt stand: at zero, and where both wrap under way.
class ShrinkBelowInFlightTest : public ::testing::TestWithParam<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Counters, ShrinkBelowInFlightTest,
                         ::testing::Values(0u, 0xffffffffu, 0xffffffffu - 1000u,
                                           0u - 65536u, 0u - 131072u));

TEST_P(ShrinkBelowInFlightTest, WaitsUntilThePeerConsumedTheRestThenResumes) {
  const uint32_t start = GetParam();
  Credit credit(kDefault);
  credit.StartAt(start, start);
  credit.OnPeer(Announcing(262144, start));
  ASSERT_EQ(credit.Take(131072), 131072u);

  credit.OnPeer(Announcing(65536, start));
  EXPECT_EQ(credit.Space(), 0u);  // the naive formula says 4294901760
  credit.OnPeer(Announcing(65536, start + 65536));
  EXPECT_EQ(credit.Space(), 0u);
  credit.OnPeer(Announcing(65536, start + 65537));
  EXPECT_EQ(credit.Space(), 1u);
  credit.OnPeer(Announcing(65536, start + 131072));
  EXPECT_EQ(credit.Space(), 65536u);
}

TEST(CreditTest, CountersWrapAt2To32WithoutLosingTheWindow) {
  Credit credit(kDefault);
  credit.StartAt(0xfffffff0, 0xfffffff0);
  credit.OnPeer(Announcing(64, 0xfffffff0));

  EXPECT_EQ(credit.Take(40), 40u);
  EXPECT_EQ(credit.tx_cnt(), 24u);
  EXPECT_EQ(credit.InFlight(), 40u);
  EXPECT_EQ(credit.Space(), 24u);
  credit.OnPeer(Announcing(64, 24));
  EXPECT_EQ(credit.Space(), 64u);
}

TEST(CreditTest, AcceptsExactlyWhatWasAnnounced) {
  Credit credit(1000);

  EXPECT_TRUE(credit.Accept(999));
  EXPECT_FALSE(credit.Accept(2));
  EXPECT_TRUE(credit.Accept(1));
  EXPECT_FALSE(credit.Accept(1));
  EXPECT_EQ(credit.rx_bytes(), 1000u);
}

TEST(CreditTest, AcceptsNoLengthThatWouldWrapItsSum) {
  Credit credit(1000);
  ASSERT_TRUE(credit.Accept(10));

  EXPECT_FALSE(credit.Accept(0xffffffff));
  EXPECT_FALSE(credit.Accept(0xfffffff6));
  EXPECT_EQ(credit.buf_used(), 10u);
}

TEST(CreditTest, ConsumedBytesCountOnlyOnceTheirPacketIsFreed) {
  Credit credit(1000);
  credit.Accept(600);
  credit.OnRead(599);
  EXPECT_EQ(credit.fwd_cnt(), 0u);
  EXPECT_EQ(credit.rx_bytes(), 1u);
  EXPECT_EQ(credit.buf_used(), 600u);

  credit.OnRead(1);
  credit.OnFreed(600);
  EXPECT_EQ(credit.fwd_cnt(), 600u);
  EXPECT_EQ(credit.buf_used(), 0u);
}

// As seen on Linux 6.1: 64 packets of 4096 bytes queued, the reader slow.
TEST(CreditUpdateTest, IsDueFirstWithThe49thPacketOf4096Bytes) {
  EXPECT_FALSE(Reader(48, 16).UpdateDue(/*low_water=*/1));
  EXPECT_TRUE(Reader(49, 15).UpdateDue(/*low_water=*/1));
  EXPECT_EQ(Reader(49, 15).fwd_cnt(), 200704u);
}

TEST(CreditUpdateTest, IsDueWhenLessIsQueuedThanTheReaderWaitsFor) {
  EXPECT_FALSE(Reader(1, 2).UpdateDue(/*low_water=*/8192));
  EXPECT_TRUE(Reader(1, 2).UpdateDue(/*low_water=*/8193));
  EXPECT_TRUE(Reader(1, 0).UpdateDue(/*low_water=*/1));
}

TEST(CreditUpdateTest, IsNeverDueWhenThePeerKnowsTheValue) {
  EXPECT_FALSE(Reader(0, 0).UpdateDue(/*low_water=*/1));
  Credit credit = Reader(64, 0);
  ASSERT_TRUE(credit.UpdateDue(1));
  VsockHdr any;
  credit.Stamp(any);

  EXPECT_FALSE(credit.UpdateDue(1));
  EXPECT_FALSE(credit.UpdateDue(0xffffffff));
  EXPECT_EQ(any.fwd_cnt, 262144u);
  EXPECT_EQ(any.buf_alloc, kDefault);
}

TEST(CreditUpdateTest, IsAlwaysDueInABufferBelowTheLargestPacket) {
  Credit credit(65535);
  credit.Accept(200);
  credit.Accept(200);
  credit.OnRead(200);
  credit.OnFreed(200);

  EXPECT_TRUE(credit.UpdateDue(1));
}

TEST(CreditUpdateTest, IsDueWhenMoreIsUnannouncedThanAShrunkenBufferHolds) {
  Credit credit = Reader(40, 1);
  credit.Resize(128);

  EXPECT_TRUE(credit.UpdateDue(1));
}

TEST(CreditTest, DiscardFreesWhatWasNeverRead) {
  Credit credit = Reader(1, 3);
  credit.Discard();

  EXPECT_EQ(credit.rx_bytes(), 0u);
  EXPECT_EQ(credit.buf_used(), 0u);
  EXPECT_EQ(credit.fwd_cnt(), 4u * 4096u);
}

}  // namespace
}  // namespace vsock
