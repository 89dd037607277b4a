#include "bench/message_line.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bench/payload_pool.h"
#include "gtest/gtest.h"
#include "virtqueue/guest_memory.h"

namespace bench {
namespace {

using virtqueue::GuestAddr;

constexpr uint32_t kPayload = 4096;
constexpr uint32_t kMessages = 3;

std::string Name(const testing::TestParamInfo<MessageLine::Shape>& info) {
  return absl::StrCat(info.param.descriptors, "Descriptors",
                      info.param.indirect ? "Indirect" : "",
                      info.param.copied ? "Copied" : "");
}

// A pool whose messages are all different, and no byte of them 0.
class MessageLineTest : public testing::TestWithParam<MessageLine::Shape> {
 protected:
  MessageLineTest() : pool_(kMessages * kPayload, kPayload) {
    for (uint32_t k = 0; k < kMessages; ++k) {
      const absl::Span<std::byte> payload = *pool_.memory().memory().Slice(
          pool_.Next() + PayloadPool::kHeaderBytes, kPayload);
      for (uint32_t i = 0; i < kPayload; ++i) payload[i] = ByteOf(k, i);
    }
  }

  static std::byte ByteOf(uint32_t message, uint32_t i) {
    return static_cast<std::byte>(1 + (message * kPayload + i) % 251);
  }

  PayloadPool pool_;
};

TEST_P(MessageLineTest, EachPayloadArrivesAndTheyComeInTurn) {
  MessageLine line(GetParam(), pool_);

  for (uint32_t k = 0; k < 2 * kMessages; ++k) {
    line.Carry();
    for (uint32_t i = 0; i < kPayload; ++i) {
      ASSERT_EQ(pool_.received()[PayloadPool::kHeaderBytes + i],
                ByteOf(k % kMessages, i));
    }
  }
}

TEST_P(MessageLineTest, TheHeaderArrivesInFrontOfThePayload) {
  MessageLine line(GetParam(), pool_);

  line.Carry();

  for (const std::byte byte :
       pool_.received().first(PayloadPool::kHeaderBytes)) {
    EXPECT_NE(byte, std::byte{0});  // which it was before
  }
}

TEST_P(MessageLineTest, AChainIsOfSoManyDescriptors) {
  MessageLine line(GetParam(), pool_);

  EXPECT_EQ(line.Carry(), GetParam().descriptors);
}

INSTANTIATE_TEST_SUITE_P(
    EveryShape, MessageLineTest,
    testing::Values(MessageLine::Shape{.descriptors = 1},
                    MessageLine::Shape{.descriptors = 1, .copied = true},
                    MessageLine::Shape{.descriptors = 2},
                    MessageLine::Shape{.descriptors = 2, .indirect = true},
                    MessageLine::Shape{.descriptors = 4},
                    MessageLine::Shape{.descriptors = 4, .indirect = true},
                    MessageLine::Shape{.descriptors = 17},
                    MessageLine::Shape{.descriptors = 17, .indirect = true}),
    Name);

}  // namespace
}  // namespace bench
