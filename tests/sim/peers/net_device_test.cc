// Tries sim/peers/net_device.h by the rules of Linux's vhost-net: turns of 256
// frames or 524288 bytes, batches of 64 that fit a page each.

#include "sim/peers/net_device.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/peers/net_effects.h"
#include "tests/sim/peers/net_pair.h"

namespace sim {
namespace {

using OfferResult = NetDevice::OfferResult;

// What the worker did, a letter a step: c copied from the tx ring, h handed to
// the host's stack, r put into the rx ring.
std::string Steps(NetPair& pair) {
  std::string steps;
  for (;;) {
    const NetEffects effects = pair.device->Step();
    pair.interrupts += effects.work.interrupts;
    if (!effects.more) return steps;
    const bool stack = effects.stack.packets > 0;
    steps += stack ? 'h' : effects.work.packets > 0 ? 'r' : 'c';
  }
}

void Send(NetPair& pair, int frames, uint32_t bytes) {
  for (int i = 0; i < frames; ++i) pair.Transmit(pair.Frame(bytes));
}

void Offer(NetPair& pair, int frames) {
  for (int i = 0; i < frames; ++i) {
    NetFrame frame = pair.Frame(100);
    pair.device->Offer(frame);
  }
}

TEST(NetDeviceTest, SmallFramesAreHandedOnInBatchesOf64) {
  NetPair pair(NetPair::Of({}));
  Send(pair, 100, 100);

  EXPECT_EQ(Steps(pair), std::string(64, 'c') + std::string(64, 'h') +
                             std::string(36, 'c') + std::string(36, 'h'));
}

TEST(NetDeviceTest, FrameThatFitsNoPageEndsItsBatch) {
  NetPair pair(NetPair::Of({.mtu = 9000}));
  Send(pair, 2, 4138);

  EXPECT_EQ(Steps(pair), "chch");
}

TEST(NetDeviceTest, DirectionsTakeTurnsByTheWeightOfPackets) {
  NetPair::Options options = NetPair::Of({});
  options.packet_weight = 2;
  NetPair pair(options);
  Send(pair, 5, 100);
  Offer(pair, 5);

  EXPECT_EQ(Steps(pair), "cchhrrcchhrrchr");
}

// 524288 bytes are 347 frames of 1514 (346 x 1514 = 523844); the weight of 256
// packets comes first. Of 9014 they are 59: 58 x 9014 = 522812.
TEST(NetDeviceTest, DirectionsTakeTurnsByTheWeightOfBytes) {
  NetPair pair(NetPair::Of({.mtu = 9000}));
  Send(pair, 100, 9014);
  Offer(pair, 1);

  const std::string steps = Steps(pair);

  const size_t turn = steps.find('r');
  EXPECT_EQ(std::count(steps.begin(), steps.begin() + turn, 'c'), 59);
}

TEST(NetDeviceTest, TapQueueDropsWhatItDoesNotHold) {
  NetPair::Options options = NetPair::Of({});
  options.tap_frames = 2;
  NetPair pair(options);
  std::array<NetFrame, 3> frames = {pair.Frame(100), pair.Frame(100),
                                    pair.Frame(100)};

  EXPECT_EQ(pair.device->Offer(frames[0]), OfferResult::kTakenRunWorker);
  EXPECT_EQ(pair.device->Offer(frames[1]), OfferResult::kTaken);
  EXPECT_EQ(pair.device->Offer(frames[2]), OfferResult::kFull);
}

TEST(NetDeviceTest, WorkerWaitsForRxBuffersAndGoesOnByAKick) {
  NetPair pair(NetPair::Of({.ring_size = 4}));
  Offer(pair, 6);

  EXPECT_EQ(Steps(pair), "rrrr");
  EXPECT_EQ(pair.device->in_tap(), 2u);
  NetFrame more = pair.Frame(100);
  EXPECT_EQ(pair.device->Offer(more), OfferResult::kTaken);  // not in vain
  EXPECT_EQ(pair.RunNapi().size(), 4u);

  EXPECT_EQ(Steps(pair), "rrr");
}

TEST(NetDeviceTest, GuestSeesRxBuffersInLotsOfMoreThan64) {
  NetPair pair(NetPair::Of({}));
  Offer(pair, 100);
  for (int i = 0; i < 65; ++i)
    EXPECT_EQ(pair.device->Step().work.interrupts, 0u);

  EXPECT_EQ(pair.device->Step().work.interrupts, 1u);
  EXPECT_EQ(pair.RunNapi().size(), 65u);
}

TEST(NetDeviceTest, ChainThatIsNoFrameIsCompletedAndLost) {
  NetPair pair(NetPair::Of({}));
  NetFrame frame;  // no bytes behind the virtio-net header
  frame.owner = pair.sender;
  pair.Transmit(frame);
  Send(pair, 1, 100);

  EXPECT_EQ(pair.RunDevice().size(), 1u);

  EXPECT_EQ(pair.device->tx_malformed(), 1u);
  EXPECT_EQ(pair.device->tx_completed(), 2u);
}

TEST(NetDeviceTest, OneInterruptTellsOfABatch) {
  NetPair pair(NetPair::Of({}));
  Send(pair, 60, 100);

  Steps(pair);

  EXPECT_EQ(pair.interrupts, 1u);
}

}  // namespace
}  // namespace sim
