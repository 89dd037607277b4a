// Tries sim/peers/unix_inbox.h.

#include "sim/peers/unix_inbox.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;

// An inbox with buffers of these sizes, each byte its buffer's number.
void Fill(UnixInbox& inbox, std::initializer_list<uint32_t> sizes) {
  uint8_t number = 0;
  for (const uint32_t bytes : sizes) {
    UnixBuffer buffer;
    buffer.piece = {.bytes = bytes, .charge = 1000};
    buffer.kept.assign(bytes, std::byte{++number});
    inbox.Expect(buffer.piece);
    inbox.Push(std::move(buffer), Instant(10));
  }
}

TEST(UnixInboxTest, GivesBytesInTheOrderTheyCame) {
  UnixInbox inbox("queue");
  Fill(inbox, {2, 3});
  std::array<std::byte, 3> out = {};

  EXPECT_TRUE(inbox.Take(out.data(), 9, Instant(20)).finished);
  EXPECT_EQ(out[1], std::byte{1});
  EXPECT_EQ(out[2], std::byte{0});
  EXPECT_EQ(inbox.Take(out.data(), 9, Instant(20)).bytes, 3u);
  EXPECT_EQ(out[2], std::byte{2});
}

TEST(UnixInboxTest, ChargeStaysUntilTheBufferIsReadToItsEnd) {
  UnixInbox inbox("queue");
  Fill(inbox, {100});

  EXPECT_FALSE(inbox.Take(nullptr, 99, Instant(20)).finished);
  EXPECT_EQ(inbox.charge(), 1000u);
  EXPECT_TRUE(inbox.Take(nullptr, 99, Instant(20)).finished);
  EXPECT_EQ(inbox.charge(), 0u);
}

TEST(UnixInboxTest, WhatIsExpectedHasItsPlaceAlready) {
  UnixInbox inbox("queue");
  const UnixPiece piece = {.bytes = 10, .charge = 1000};

  inbox.Expect(piece);
  EXPECT_EQ(inbox.count(), 1u);
  EXPECT_TRUE(inbox.empty());
  inbox.Forget(piece);
  EXPECT_EQ(inbox.count(), 0u);
}

TEST(UnixInboxTest, EverythingSpansBuffersAndTheFirstDoesNot) {
  UnixInbox inbox("queue");
  Fill(inbox, {100, 200, 300});

  EXPECT_EQ(inbox.FirstBuffer(250).bytes, 100u);
  EXPECT_EQ(inbox.Everything(250).bytes, 250u);
  EXPECT_EQ(inbox.Everything(250).buffers, 2u);
}

TEST(UnixInboxTest, BooksBalanceAfterReadsAndDrops) {
  UnixInbox inbox("queue");
  Fill(inbox, {100, 200, 300});

  inbox.Take(nullptr, 40, Instant(20));
  EXPECT_EQ(inbox.DropFirst(Instant(30)).bytes, 60u);

  EXPECT_TRUE(inbox.Check(Instant(40)).ok()) << inbox.Check(Instant(40));
}

}  // namespace
}  // namespace sim
