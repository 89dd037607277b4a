// Tries sim/peers/net_driver.h against a device, by what Linux's virtio_net
// does with and without tx napi.

#include "sim/peers/net_driver.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/sim/peers/net_pair.h"

namespace sim {
namespace {

TEST(NetDriverTest, FrameCrossesTheTxRingByteForByte) {
  NetPair pair(NetPair::Of({}));

  pair.Transmit(pair.Frame(1514, 3));
  const std::vector<NetFrame> arrived = pair.RunDevice();

  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].bytes, 1514u);
  EXPECT_EQ(arrived[0].kept, pair.Frame(1514, 3).kept);
}

TEST(NetDriverTest, OnlyTheFirstOfSeveralFramesKicks) {
  NetPair pair(NetPair::Of({}));

  EXPECT_EQ(pair.driver->Transmit(pair.Frame(100)).work.kicks, 1u);
  EXPECT_EQ(pair.driver->Transmit(pair.Frame(100)).work.kicks_suppressed, 1u);
}

TEST(NetDriverTest, FramesGoAsOneDescriptorWithEitherSetOfFeatures) {
  for (const bool event_idx : {false, true}) {
    for (const bool indirect : {false, true}) {
      NetPair pair(NetPair::Of({.event_idx = event_idx, .indirect = indirect}));

      EXPECT_EQ(pair.driver->Transmit(pair.Frame(100)).work.descriptors, 1u);
      pair.device->OnTxKick();
      EXPECT_EQ(pair.RunDevice().size(), 1u);
    }
  }
}

TEST(NetDriverTest, WithTxNapiTheChargeReturnsWithTheDescriptor) {
  NetPair pair(NetPair::Of({.tx_napi = true}));

  pair.Transmit(pair.Frame(1514));
  EXPECT_EQ(pair.sockets.Charged(), 1000u);
  pair.RunDevice();
  EXPECT_EQ(pair.sockets.Charged(), 1000u);
  pair.RunNapi();

  EXPECT_EQ(pair.interrupts, 1u);
  EXPECT_EQ(pair.sockets.Charged(), 0u);
}

TEST(NetDriverTest, WithoutTxNapiTheChargeReturnsOnTheWayToTheRing) {
  NetPair pair(NetPair::Of({.tx_napi = false}));

  pair.Transmit(pair.Frame(1514));

  EXPECT_EQ(pair.sockets.Charged(), 0u);
  EXPECT_EQ(pair.RunDevice().size(), 1u);
  EXPECT_EQ(pair.interrupts, 0u);
}

TEST(NetDriverTest, FullRingLeadsToTheQdiscAndBeyondItToADrop) {
  for (const bool tx_napi : {false, true}) {
    NetPair pair(
        NetPair::Of({.ring_size = 4, .tx_napi = tx_napi, .qdisc_frames = 2}));
    for (int i = 0; i < 6; ++i) {
      EXPECT_TRUE(pair.Transmit(pair.Frame(100)));
    }

    EXPECT_FALSE(pair.Transmit(pair.Frame(100)));

    EXPECT_EQ(pair.driver->in_qdisc(), 2u);
    // What waits in the qdisc is charged either way.
    EXPECT_EQ(pair.sockets.Charged(), tx_napi ? 6000u : 2000u);
  }
}

TEST(NetDriverTest, StoppedQueueGoesOnByInterruptInOrder) {
  for (const bool tx_napi : {false, true}) {
    NetPair pair(NetPair::Of({.ring_size = 4, .tx_napi = tx_napi}));
    for (uint8_t i = 0; i < 6; ++i) pair.Transmit(pair.Frame(100, i));
    std::vector<NetFrame> arrived = pair.RunDevice();
    EXPECT_EQ(arrived.size(), 4u);
    EXPECT_GE(pair.interrupts, 1u);

    pair.RunNapi();
    for (NetFrame& frame : pair.RunDevice()) arrived.push_back(frame);

    ASSERT_EQ(arrived.size(), 6u);
    for (uint8_t i = 0; i < 6; ++i) {
      EXPECT_EQ(arrived[i].kept[0], static_cast<std::byte>(i));
    }
  }
}

TEST(NetDriverTest, LaterSendsTakeUsedBuffersBackWithoutTxNapi) {
  NetPair pair(NetPair::Of({.ring_size = 4, .tx_napi = false}));

  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(pair.Transmit(pair.Frame(100)));
    EXPECT_EQ(pair.RunDevice().size(), 1u) << i;
  }

  EXPECT_EQ(pair.driver->qdisc_in(), 0u);
  EXPECT_EQ(pair.interrupts, 0u);
}

TEST(NetDriverTest, RxBuffersAreMergedToAFrame) {
  NetPair pair(NetPair::Of({.mtu = 9000}));
  NetFrame frame = pair.Frame(4138, 5);  // 4150 with its header, in 4096

  EXPECT_EQ(pair.device->Offer(frame), NetDevice::OfferResult::kTakenRunWorker);
  pair.RunDevice();
  const std::vector<NetFrame> arrived = pair.RunNapi();

  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].kept, pair.Frame(4138, 5).kept);
  EXPECT_EQ(arrived[0].receive_charge, 2u * 4096 + 768);
}

TEST(NetDriverTest, RingThatHoldsNoWholeFrameIsRefused) {
  const NetDriver::Options options = {.ring_size = 2, .mtu = 65535};
  auto memory =
      virtqueue::OwnedGuestMemory::Create(NetDriver::MemoryBytes(options));
  DatagramEndpoint sockets{{}};

  EXPECT_TRUE(absl::IsInvalidArgument(
      NetDriver::Create(*memory, options, sockets).status()));
}

}  // namespace
}  // namespace sim
