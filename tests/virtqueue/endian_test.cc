// Tries virtqueue/endian.h and virtqueue/shared_le.h.

#include "virtqueue/endian.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"
#include "virtqueue/shared_le.h"

namespace virtqueue {
namespace {

template <typename T>
std::array<unsigned char, sizeof(T)> BytesOf(const T& value) {
  std::array<unsigned char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

TEST(LittleEndianTest, PutsTheLowestByteFirst) {
  EXPECT_EQ(BytesOf(Le16(0x1234)), (std::array<unsigned char, 2>{0x34, 0x12}));
  EXPECT_EQ(BytesOf(Le32(0x12345678)),
            (std::array<unsigned char, 4>{0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(BytesOf(Le64(0x0123456789abcdef)),
            (std::array<unsigned char, 8>{0xef, 0xcd, 0xab, 0x89, 0x67, 0x45,
                                          0x23, 0x01}));
}

TEST(LittleEndianTest, ReadsBackWhatWasWritten) {
  EXPECT_EQ(uint16_t{Le16(0xfedc)}, 0xfedc);
  EXPECT_EQ(uint32_t{Le32(0xfedcba98)}, 0xfedcba98);
  EXPECT_EQ(uint64_t{Le64(0xfedcba9876543210)}, 0xfedcba9876543210);
}

TEST(ByteSwapTest, TurnsTheBytesRound) {
  EXPECT_EQ(ByteSwap(uint8_t{0x12}), 0x12);
  EXPECT_EQ(ByteSwap(uint16_t{0x1234}), 0x3412);
  EXPECT_EQ(ByteSwap(uint64_t{0x0123456789abcdef}), 0xefcdab8967452301);
}

TEST(SharedLeTest, LiesInMemoryLittleEndian) {
  SharedLe32 word;
  word.Store(0x12345678);

  EXPECT_EQ(BytesOf(word),
            (std::array<unsigned char, 4>{0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(word.Load(), 0x12345678u);
}

}  // namespace
}  // namespace virtqueue
