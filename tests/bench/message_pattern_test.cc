#include "bench/message_pattern.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace bench {
namespace {

constexpr uint32_t kBytes = 64;

std::vector<std::byte> Datagram(const MessagePattern& pattern,
                                uint64_t number) {
  std::vector<std::byte> datagram(kBytes);
  pattern.WriteDatagram(number, absl::MakeSpan(datagram));
  return datagram;
}

TEST(MessagePatternTest, TextIsKnownOnlyAtItsPlace) {
  const MessagePattern pattern(kBytes);
  const absl::Span<const std::byte> got(pattern.TextAt(1000), kBytes);

  EXPECT_TRUE(pattern.IsTextAt(1000, got));
  EXPECT_FALSE(pattern.IsTextAt(1001, got));
  EXPECT_FALSE(pattern.IsTextAt(1000 + kBytes, got));
}

TEST(MessagePatternTest, LaterDatagramMayFollowButNoEarlierOne) {
  const MessagePattern pattern(kBytes);
  uint64_t from = 0;

  EXPECT_TRUE(pattern.IsDatagram(Datagram(pattern, 7), from));
  EXPECT_EQ(from, 8u);
  EXPECT_FALSE(pattern.IsDatagram(Datagram(pattern, 7), from));
}

TEST(MessagePatternTest, DatagramOfTwoHalvesIsNone) {
  const MessagePattern pattern(kBytes);
  std::vector<std::byte> torn = Datagram(pattern, 1);
  const std::vector<std::byte> other = Datagram(pattern, 2);
  std::copy(other.begin() + kBytes / 2, other.end(), torn.begin() + kBytes / 2);
  uint64_t from = 0;

  EXPECT_FALSE(pattern.IsDatagram(torn, from));
}

TEST(MessagePatternTest, ShortDatagramIsNone) {
  const MessagePattern pattern(kBytes);
  std::vector<std::byte> cut = Datagram(pattern, 1);
  cut.pop_back();
  uint64_t from = 0;

  EXPECT_FALSE(pattern.IsDatagram(cut, from));
}

}  // namespace
}  // namespace bench
