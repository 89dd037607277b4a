#include "bench/payload_pool.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "virtqueue/guest_memory.h"

namespace bench {
namespace {

using virtqueue::GuestAddr;

constexpr uint32_t kPayload = 4096;
constexpr uint64_t kPool = 3 * kPayload;

absl::Span<std::byte> MessageAt(PayloadPool& pool, GuestAddr at) {
  return *pool.memory().memory().Slice(at, pool.message_bytes());
}

TEST(PayloadPoolTest, MessagesFollowEachOtherAndThenTheFirstComesAgain) {
  PayloadPool pool(kPool, kPayload);

  const GuestAddr first = pool.Next();

  EXPECT_EQ(pool.Next(), first + kPayload);
  EXPECT_EQ(pool.Next(), first + 2 * kPayload);
  EXPECT_EQ(pool.Next(), first);
}

TEST(PayloadPoolTest, EveryByteWasWrittenBeforeItIsUsed) {
  PayloadPool pool(kPool, kPayload);

  for (int message = 0; message < 3; ++message) {
    for (const std::byte byte : MessageAt(pool, pool.Next())) {
      ASSERT_NE(byte, std::byte{0});
    }
  }
}

TEST(PayloadPoolTest, PayloadBeginsOnACacheLine) {
  PayloadPool pool(kPool, kPayload);

  const GuestAddr at = pool.Next();

  EXPECT_EQ((at.value() + PayloadPool::kHeaderBytes) % 64, 0u);
}

TEST(PayloadPoolTest, CopiesTheWholeOfTheNextMessage) {
  PayloadPool pool(kPool, kPayload);
  const absl::Span<std::byte> message = MessageAt(pool, pool.Next() + kPayload);
  message.front() = std::byte{1};
  message.back() = std::byte{2};

  pool.CopyNext();

  EXPECT_EQ(pool.received(), message);
}

}  // namespace
}  // namespace bench
