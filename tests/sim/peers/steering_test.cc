// Tries sim/peers/steering.h by the verification suite that is published with
// the Toeplitz hash ("Verifying the RSS Hash Calculation", Microsoft), and by
// what hashing without ports must do.

#include "sim/peers/steering.h"

#include <cstdint>
#include <set>

#include "gtest/gtest.h"
#include "sim/peers/ipv4.h"

namespace sim {
namespace {

constexpr uint32_t Ip(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr UdpFlow kFirst = {Ip(66, 9, 149, 187), Ip(161, 142, 100, 80), 2794,
                            1766};
constexpr UdpFlow kSecond = {Ip(199, 92, 111, 2), Ip(65, 69, 140, 83), 14230,
                             4739};

// Pairs that 16 flows from consecutive ports use.
std::set<uint32_t> PairsUsed(bool fragmented, Steering steering) {
  std::set<uint32_t> used;
  for (uint16_t i = 0; i < 16; ++i) {
    const UdpFlow flow = {Ip(10, 0, 0, 2), Ip(10, 0, 0, 1),
                          static_cast<uint16_t>(32768 + i),
                          static_cast<uint16_t>(7000 + i)};
    used.insert(PairOf(flow, fragmented, steering, 16));
  }
  return used;
}

TEST(SteeringTest, TwoTupleHashIsThePublishedOne) {
  EXPECT_EQ(HashTwoTuple(kFirst), 0x323e8fc2u);
  EXPECT_EQ(HashTwoTuple(kSecond), 0xd718262au);
}

TEST(SteeringTest, FourTupleHashIsThePublishedOne) {
  EXPECT_EQ(HashFourTuple(kFirst), 0x51ccc178u);
  EXPECT_EQ(HashFourTuple(kSecond), 0xc626b0eau);
}

TEST(SteeringTest, FragmentedFlowsOfTwoMachinesLandOnOnePair) {
  EXPECT_EQ(PairsUsed(true, Steering::kTwoTupleForFragments).size(), 1u);
}

TEST(SteeringTest, WholeDatagramsLandOnSeveralPairs) {
  EXPECT_GT(PairsUsed(false, Steering::kTwoTupleForFragments).size(), 4u);
}

TEST(SteeringTest, FourTupleTreatsFragmentsAsTheWhole) {
  EXPECT_EQ(PairsUsed(true, Steering::kFourTuple),
            PairsUsed(false, Steering::kTwoTupleForFragments));
}

TEST(SteeringTest, HashGoesToAPairInProportion) {
  EXPECT_EQ(PairOf(kFirst, true, Steering::kTwoTupleForFragments, 16), 3u);
  EXPECT_EQ(PairOf(kSecond, true, Steering::kTwoTupleForFragments, 16), 13u);
  EXPECT_EQ(PairOf(kSecond, false, Steering::kFourTuple, 1), 0u);
}

}  // namespace
}  // namespace sim
