// Tries sim/peers/ipv4.h by RFC 791 and RFC 768. A payload of 4096 bytes over
// an MTU of 1500 is 1480 + 1480 + 1144 bytes of IP payload.

#include "sim/peers/ipv4.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using ::testing::ElementsAre;

constexpr UdpFlow kFlow = {.source_ip = 0x0a000002,
                           .destination_ip = 0x0a000001,
                           .source_port = 40000,
                           .destination_port = 7};

// Ethernet frames of a payload.
std::vector<uint32_t> FrameBytes(uint32_t payload, uint32_t mtu) {
  std::vector<uint32_t> frames;
  Fragment fragment;
  do {
    fragment =
        FragmentAt(fragment.offset + fragment.bytes, kUdpBytes + payload, mtu);
    frames.push_back(kEthernetBytes + kIpv4Bytes + fragment.bytes);
  } while (fragment.more);
  return frames;
}

std::vector<std::byte> Bytes(std::vector<uint8_t> numbers) {
  std::vector<std::byte> bytes(numbers.size());
  std::memcpy(bytes.data(), numbers.data(), numbers.size());
  return bytes;
}

// The header in the article "Internet checksum" of Wikipedia, behind an
// Ethernet header: 115 bytes from 192.168.0.1 to 192.168.0.199.
std::vector<std::byte> KnownFrame() {
  return Bytes({0x52, 0x54, 0,    0,    0,    1,    0x52, 0x54, 0,
                0,    0,    2,    0x08, 0x00, 0x45, 0x00, 0x00, 0x73,
                0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0,
                0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7});
}

TEST(Ipv4Test, FourKiBOverEthernetAreThreeFrames) {
  EXPECT_THAT(FrameBytes(4096, 1500), ElementsAre(1514, 1514, 1178));
  EXPECT_EQ(FragmentCount(4096, 1500), 3u);
}

TEST(Ipv4Test, FourKiBOverJumboFramesAreOne) {
  EXPECT_THAT(FrameBytes(4096, 9000), ElementsAre(4138));
}

TEST(Ipv4Test, PayloadOf1472IsTheLastThatFitsOneFrame) {
  EXPECT_THAT(FrameBytes(1472, 1500), ElementsAre(1514));
  EXPECT_THAT(FrameBytes(1473, 1500), ElementsAre(1514, 35));
  EXPECT_THAT(FrameBytes(0, 1500), ElementsAre(42));
}

TEST(Ipv4Test, LargestPayloadIs45FramesOverEthernet) {
  EXPECT_EQ(FragmentCount(65507, 1500), 45u);  // 65515 / 1480 = 44.3
}

// The data of all fragments but the last are of a multiple of 8 bytes (RFC
// 791, 3.2); the last may fill the MTU.
TEST(Ipv4Test, OnlyTheLastFragmentMayBeOfAnyLength) {
  EXPECT_THAT(FrameBytes(1480 + 1483 - 8, 1503), ElementsAre(1514, 1517));
  EXPECT_THAT(FrameBytes(48, 68), ElementsAre(82, 42));
}

TEST(Ipv4Test, FirstFragmentIsWrittenByteForByte) {
  std::array<std::byte, 34> out;

  WriteFrameHeaders(kFlow, 0x1234, {0, 1480, true}, absl::MakeSpan(out));

  // Checksum: 4500 + 05dc + 1234 + 2000 + 4011 + 0a00 + 0002 + 0a00 + 0001 is
  // d124; its complement 2edb.
  EXPECT_THAT(out, ::testing::ElementsAreArray(Bytes(
                       {0x52, 0x54, 0x0a, 0,    0,    1,    0x52, 0x54, 0x0a,
                        0,    0,    2,    0x08, 0x00, 0x45, 0,    0x05, 0xdc,
                        0x12, 0x34, 0x20, 0x00, 0x40, 0x11, 0x2e, 0xdb, 0x0a,
                        0,    0,    2,    0x0a, 0,    0,    1})));
}

TEST(Ipv4Test, LastFragmentSaysWhereItBelongs) {
  std::array<std::byte, 34> out;

  WriteFrameHeaders(kFlow, 0x1234, {2960, 1144, false}, absl::MakeSpan(out));

  EXPECT_EQ(out[20], std::byte{0x01});  // 2960 / 8 = 370
  EXPECT_EQ(out[21], std::byte{0x72});
}

TEST(Ipv4Test, UdpHeaderIsWrittenByteForByte) {
  std::array<std::byte, 8> out;

  WriteUdpHeader(kFlow, 4096, absl::MakeSpan(out));

  EXPECT_THAT(out, ::testing::ElementsAreArray(Bytes(
                       {0x9c, 0x40, 0x00, 0x07, 0x10, 0x08, 0x00, 0x00})));
}

TEST(Ipv4Test, KnownHeaderIsUnderstood) {
  const std::optional<ParsedFrame> frame = ParseFrame(KnownFrame(), 14 + 115);

  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->source_ip, 0xc0a80001);
  EXPECT_EQ(frame->destination_ip, 0xc0a800c7);
  EXPECT_EQ(frame->fragment.bytes, 95u);
  EXPECT_TRUE(frame->fragment.whole());
}

TEST(Ipv4Test, EveryFlippedBitOfTheIpHeaderIsNoticed) {
  for (size_t bit = 14 * 8; bit < 34 * 8; ++bit) {
    std::vector<std::byte> frame = KnownFrame();
    frame[bit / 8] ^= std::byte{1} << (bit % 8);

    EXPECT_FALSE(ParseFrame(frame, 14 + 115).has_value()) << bit;
  }
}

TEST(Ipv4Test, FrameShorterThanItsLengthFieldIsRefused) {
  EXPECT_FALSE(ParseFrame(KnownFrame(), 14 + 114).has_value());
  EXPECT_FALSE(
      ParseFrame(absl::MakeConstSpan(KnownFrame()).first(33), 200).has_value());
}

TEST(Ipv4Test, PieceBeyondTheLargestPacketIsRefused) {
  std::array<std::byte, 34> out;

  WriteFrameHeaders(kFlow, 1, {65512, 16, false}, absl::MakeSpan(out));

  EXPECT_FALSE(ParseFrame(out, 50).has_value());  // 20 + 65512 + 16 > 65535
}

TEST(Ipv4Test, UdpLengthBeyondTheIpPayloadIsRefused) {
  std::array<std::byte, 8> out;
  WriteUdpHeader(kFlow, 100, absl::MakeSpan(out));

  EXPECT_EQ(ParseUdp(out, 108)->payload, 100u);
  EXPECT_FALSE(ParseUdp(out, 107).has_value());
}

}  // namespace
}  // namespace sim
