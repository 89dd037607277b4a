// Tries sim/peers/reassembly.h by RFC 791, 3.2, and by Linux's limits: 30 s,
// 4 MiB, 64 pieces of others in between.

#include "sim/peers/reassembly.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "sim/peers/ipv4.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using Verdict = Reassembly::Verdict;

constexpr Fragment kFirst = {0, 16, true};
constexpr Fragment kMiddle = {16, 8, true};
constexpr Fragment kLast = {24, 5, false};

class ReassemblyTest : public ::testing::Test {
 protected:
  // Each byte of a piece is its own offset.
  Reassembly::Result Add(uint16_t id, const Fragment& fragment,
                         uint32_t charge = 100) {
    std::vector<std::byte> bytes;
    for (uint32_t i = 0; i < fragment.bytes; ++i) {
      bytes.push_back(static_cast<std::byte>(fragment.offset + i));
    }
    return reassembly_.Add({1, 2, id, fragment}, bytes, charge, now_);
  }

  Reassembly reassembly_{65535};
  Instant now_{0};
};

TEST_F(ReassemblyTest, PiecesInAnyOrderMakeTheSameWhole) {
  const Fragment pieces[] = {kFirst, kMiddle, kLast};
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    EXPECT_EQ(Add(9, pieces[order[0]]).verdict, Verdict::kKept);
    EXPECT_EQ(Add(9, pieces[order[1]]).verdict, Verdict::kKept);
    const Reassembly::Result result = Add(9, pieces[order[2]]);

    ASSERT_EQ(result.verdict, Verdict::kComplete);
    EXPECT_EQ(result.payload.bytes, 29u);
    EXPECT_EQ(result.payload.charge, 300u);
    for (size_t i = 0; i < 29; ++i) {
      EXPECT_EQ(result.payload.kept[i], static_cast<std::byte>(i));
    }
  }
  EXPECT_EQ(reassembly_.memory(), 0u);
}

TEST_F(ReassemblyTest, PiecesOfDifferentIdsStayApart) {
  Add(1, kFirst);
  Add(1, kMiddle);

  EXPECT_EQ(Add(2, kLast).verdict, Verdict::kKept);
  EXPECT_EQ(reassembly_.incomplete(), 2u);
}

TEST_F(ReassemblyTest, RepeatedPieceIsNoHarm) {
  Add(1, kFirst);

  EXPECT_EQ(Add(1, kFirst).verdict, Verdict::kDuplicate);

  Add(1, kMiddle);
  EXPECT_EQ(Add(1, kLast).verdict, Verdict::kComplete);
}

TEST_F(ReassemblyTest, OverlapSpoilsTheDatagram) {
  Add(1, kFirst);

  EXPECT_EQ(Add(1, {8, 16, true}).verdict, Verdict::kSpoiled);
  EXPECT_EQ(reassembly_.incomplete(), 0u);
  EXPECT_EQ(reassembly_.given_up(), 1u);
}

TEST_F(ReassemblyTest, SecondEndSpoilsTheDatagram) {
  Add(1, kLast);

  EXPECT_EQ(Add(1, {32, 4, false}).verdict, Verdict::kSpoiled);
}

TEST_F(ReassemblyTest, IncompleteDatagramIsGivenUpAfter30Seconds) {
  Add(1, kFirst);
  now_ = Instant(29'999'999'999);
  EXPECT_EQ(Add(2, kFirst).verdict, Verdict::kKept);
  EXPECT_EQ(reassembly_.given_up(), 0u);

  now_ = Instant(30'000'000'000);
  Add(3, kFirst);

  EXPECT_EQ(reassembly_.given_up(), 1u);
  EXPECT_EQ(reassembly_.memory(), 200u);
}

TEST_F(ReassemblyTest, PieceBehind64OthersStartsAnew) {
  Add(1, kFirst);
  for (uint16_t id = 100; id < 163; ++id) Add(id, kFirst);
  EXPECT_EQ(Add(1, kMiddle).verdict, Verdict::kKept);  // 63 in between
  EXPECT_EQ(reassembly_.given_up(), 0u);
  for (uint16_t id = 200; id < 264; ++id) Add(id, kFirst);

  EXPECT_EQ(Add(1, kLast).verdict, Verdict::kKept);  // 64 in between
  EXPECT_EQ(reassembly_.given_up(), 1u);
}

TEST_F(ReassemblyTest, NothingIsBegunAbove4MiB) {
  Add(1, kFirst, 4 << 20);
  EXPECT_EQ(Add(2, kFirst, 1).verdict, Verdict::kKept);  // at it, not above

  EXPECT_EQ(Add(3, kFirst).verdict, Verdict::kNoMemory);
  EXPECT_EQ(Add(1, kMiddle).verdict, Verdict::kKept);
  EXPECT_EQ(Add(1, kLast).verdict, Verdict::kComplete);
  EXPECT_EQ(Add(3, kFirst).verdict, Verdict::kKept);
}

}  // namespace
}  // namespace sim
