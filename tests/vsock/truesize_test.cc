// The charges that Linux takes for a socket buffer, and the numbers of
// datagrams that follow from them for its default limit.

#include "vsock/truesize.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "vsock/policy/proposal.h"

namespace vsock {
namespace {

constexpr uint32_t kDefaultBuffer = 212992;

// How many datagrams a buffer admits when the test comes before the charge.
uint32_t Admitted(uint32_t charge) {
  uint32_t count = 0;
  for (uint64_t charged = 0; charged < kDefaultBuffer; charged += charge) {
    ++count;
  }
  return count;
}

struct Row {
  uint32_t payload;
  uint32_t truesize;
  uint32_t admitted;
};

// Of a datagram whose socket buffer also holds the 44 bytes of the header.
class DatagramChargeTest : public ::testing::TestWithParam<Row> {};

INSTANTIATE_TEST_SUITE_P(LinuxDefaults, DatagramChargeTest,
                         ::testing::Values(Row{1, 768, 278}, Row{100, 768, 278},
                                           Row{3732, 4352, 49},
                                           Row{3733, 8448, 26},
                                           Row{4096, 8448, 26},
                                           Row{65536, 131328, 2}));

TEST_P(DatagramChargeTest, TruesizeIsSlabAndStructAsLinuxHasThem) {
  EXPECT_EQ(TrueSize(44 + GetParam().payload), GetParam().truesize);
}

TEST_P(DatagramChargeTest, DefaultBufferAdmitsAsManyAsLinux) {
  const uint32_t charge = ChargeFor(SendCharge::kTruesize, GetParam().payload);

  EXPECT_EQ(Admitted(charge), GetParam().admitted);
}

TEST(TrueSizeTest, EmptySocketBufferCostsTailAndStruct) {
  EXPECT_EQ(kSkbOverhead, 576u);
  EXPECT_EQ(262144u / kSkbOverhead, 455u);
}

TEST(TrueSizeTest, SlabsAreThePowersOfTwoAnd96And192) {
  EXPECT_EQ(SlabBytes(1), 8u);
  EXPECT_EQ(SlabBytes(8), 8u);
  EXPECT_EQ(SlabBytes(9), 16u);
  EXPECT_EQ(SlabBytes(65), 96u);
  EXPECT_EQ(SlabBytes(96), 96u);
  EXPECT_EQ(SlabBytes(97), 128u);
  EXPECT_EQ(SlabBytes(129), 192u);
  EXPECT_EQ(SlabBytes(192), 192u);
  EXPECT_EQ(SlabBytes(193), 256u);
  EXPECT_EQ(SlabBytes(4097), 8192u);
}

TEST(TrueSizeTest, CapacityIsWhatTheSlabLeavesInFrontOfTheTail) {
  EXPECT_EQ(SkbCapacity(44), 512u - 320u);
  EXPECT_EQ(SkbCapacity(192), 512u - 320u);
  EXPECT_EQ(SkbCapacity(193), 1024u - 320u);
}

TEST(SendChargeTest, PayloadBytesAdmit52And4AndAsManyAsThereAreBytes) {
  EXPECT_EQ(Admitted(ChargeFor(SendCharge::kPayloadBytes, 4096)), 52u);
  EXPECT_EQ(Admitted(ChargeFor(SendCharge::kPayloadBytes, 65536)), 4u);
  EXPECT_EQ(Admitted(ChargeFor(SendCharge::kPayloadBytes, 1)), 212992u);
  EXPECT_EQ(ChargeFor(SendCharge::kPayloadBytes, 0), 0u);
}

TEST(SocketBufferLimitsTest, SetsockoptDoublesAndHasFloors) {
  constexpr SocketBufferLimits kSend = {.floor = 4608};
  constexpr SocketBufferLimits kReceive = {.floor = 2304};

  EXPECT_EQ(kSend.Effective(10000), 20000u);
  EXPECT_EQ(kSend.Effective(0), 4608u);
  EXPECT_EQ(kSend.Effective(2303), 4608u);
  EXPECT_EQ(kSend.Effective(2305), 4610u);
  EXPECT_EQ(kReceive.Effective(0), 2304u);
  EXPECT_EQ(kReceive.Effective(1153), 2306u);
}

TEST(SocketBufferLimitsTest, SetsockoptCapsBeforeItDoubles) {
  constexpr SocketBufferLimits kSend = {.floor = 4608};

  EXPECT_EQ(kSend.Effective(212991), 425982u);
  EXPECT_EQ(kSend.Effective(212992), 425984u);
  EXPECT_EQ(kSend.Effective(212993), 425984u);
  EXPECT_EQ(kSend.Effective(0xffffffff), 425984u);
}

TEST(SocketBufferLimitsTest, FloorsAreLinuxsOwn) {
  EXPECT_EQ(kSendBufferFloor, 4608u);
  EXPECT_EQ(kReceiveBufferFloor, 2304u);
}

TEST(ProposalTest, BundlesAreFoundByNameAndTheErrorNamesThemAll) {
  EXPECT_EQ(FindProposal("linux-2023")->send_charge, SendCharge::kTruesize);
  EXPECT_EQ(FindProposal("linux-2026")->send_charge, SendCharge::kPayloadBytes);

  const auto none = FindProposal("linux-2021");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  const std::string message(none.status().message());
  for (const Proposal& proposal : AllProposals()) {
    EXPECT_NE(message.find(std::string(proposal.name)), std::string::npos);
  }
}

}  // namespace
}  // namespace vsock
