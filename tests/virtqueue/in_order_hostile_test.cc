// Peers that write anything at random into a ring with VIRTIO_F_IN_ORDER: each
// half goes on, or stops for good with the clause that was broken; our own
// checks, which would stop the process, are never reached.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/dice.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 4;
constexpr int kLives = 5000;
constexpr int kSteps = 60;

uint16_t Near(Dice& dice, uint16_t number) {
  return static_cast<uint16_t>(number + dice.Below(4));
}

uint16_t Any(Dice& dice, uint32_t bound) {
  return static_cast<uint16_t>(dice.Below(bound));
}

// What is to be seen of a life, and over all lives.
struct Outcome {
  int moved = 0;  // chains popped or collected
  int stopped = 0;

  void Add(const std::string& fault) {
    if (fault.empty()) return;
    ++stopped;
    EXPECT_EQ(fault.substr(0, 2), "2.") << fault;
  }
  void Expect() const {
    EXPECT_GT(moved, kLives / 2);
    EXPECT_GT(stopped, kLives / 10);
    EXPECT_LT(stopped, kLives);
  }
};

// The device's user: pops, completes any, puts back, publishes.
void Use(Dice& dice, DeviceQueue& device, std::vector<Chain>& held,
         Outcome& outcome) {
  if (dice.Below(3) != 0) {
    Chain chain;
    if (device.Pop(chain) != DeviceQueue::PopResult::kChain) return;
    ++outcome.moved;
    held.push_back(std::move(chain));
  } else if (!held.empty()) {
    Chain chain =
        std::move(held[dice.Below(static_cast<uint32_t>(held.size()))]);
    std::erase_if(held, [](const Chain& one) { return !one.pending(); });
    if (dice.Below(4) == 0) return device.UnPop(chain);
    const bool whole = dice.Below(2) == 0;
    device.Push(chain,
                whole ? static_cast<uint32_t>(chain.writable_bytes()) : 0);
    if (dice.Below(2) == 0) device.Publish();
  }
}

TEST(InOrderHostileTest, SplitDeviceGoesOnOrStops) {
  Dice dice(1);
  Outcome outcome;
  for (int life = 0; life < kLives; ++life) {
    DeviceContext context({.size = kSize, .in_order = true});
    std::vector<Chain> held;
    uint16_t idx = 0;
    for (int step = 0; step < kSteps; ++step) {
      const uint16_t slot = Any(dice, kSize);
      const uint16_t next = dice.Below(8) == 0
                                ? Any(dice, 6)
                                : static_cast<uint16_t>((slot + 1u) & 3u);
      context.driver.SetDescriptor(slot, {.addr = kBuffers,
                                          .len = 1 + dice.Below(8),
                                          .flags = Any(dice, 4),
                                          .next = next});
      context.driver.SetHead(Any(dice, kSize), Any(dice, kSize));
      if (dice.Below(4) == 0) context.driver.SetAvailIdx(++idx);
      if (dice.Below(60) == 0) context.driver.SetAvailIdx(Near(dice, idx));
      Use(dice, context.device, held, outcome);
    }
    outcome.Add(context.Fault());
  }
  outcome.Expect();
}

TEST(InOrderHostileTest, PackedDeviceGoesOnOrStops) {
  Dice dice(2);
  Outcome outcome;
  for (int life = 0; life < kLives; ++life) {
    PackedDeviceContext context({.size = kSize, .in_order = true});
    std::vector<Chain> held;
    for (int step = 0; step < kSteps; ++step) {
      if (dice.Below(3) == 0) {
        context.OfferAsItIs(
            {.addr = kBuffers,
             .len = 1 + dice.Below(8),
             .id = Any(dice, 9),
             .flags = dice.Below(4) == 0 ? kDescWrite : uint16_t{0}});
      }
      if (dice.Below(20) == 0) context.Offer({{.addr = kBuffers}}, 1);
      Use(dice, context.device, held, outcome);
    }
    outcome.Add(context.Fault());
  }
  outcome.Expect();
}

// The driver's user: adds chains of any shape, publishes, collects.
template <typename Context>
void Use(Dice& dice, Context& context, Outcome& outcome) {
  if (dice.Below(2) == 0) {
    context.Add(std::vector<uint32_t>(dice.Below(3), 2),
                std::vector<uint32_t>(dice.Below(2), 3));
    context.driver.Publish();
  } else if (context.driver.Collect().has_value()) {
    ++outcome.moved;
  }
  EXPECT_LE(context.driver.free_descriptors(), kSize);
}

TEST(InOrderHostileTest, SplitDriverGoesOnOrStops) {
  Dice dice(3);
  Outcome outcome;
  for (int life = 0; life < kLives; ++life) {
    DriverContext context({.size = kSize, .in_order = true});
    uint16_t idx = 0;
    for (int step = 0; step < kSteps; ++step) {
      const auto available =
          static_cast<uint16_t>(context.device.AvailIdx() - idx);
      if (available != 0 && dice.Below(3) == 0) {
        // Mostly a lawful batch; now and then one that says anything.
        const auto batch = static_cast<uint16_t>(1 + dice.Below(available));
        const uint16_t last = context.device.Head((idx + batch - 1u) & 3u);
        const bool lie = dice.Below(12) == 0;
        context.device.SetUsed(idx & 3u, lie ? Any(dice, 6) : last,
                               lie ? dice.Below(6) : 0);
        idx = static_cast<uint16_t>(idx + batch);
        context.device.SetUsedIdx(dice.Below(30) == 0 ? Near(dice, idx) : idx);
      }
      Use(dice, context, outcome);
    }
    outcome.Add(context.Fault());
  }
  outcome.Expect();
}

TEST(InOrderHostileTest, PackedDriverGoesOnOrStops) {
  Dice dice(4);
  Outcome outcome;
  for (int life = 0; life < kLives; ++life) {
    PackedDriverContext context({.size = kSize, .in_order = true});
    for (int step = 0; step < kSteps; ++step) {
      if (dice.Below(3) == 0) {
        context.Use(Any(dice, kSize), Any(dice, kSize + 1u), Any(dice, 3),
                    dice.Below(2) == 0);
      }
      Use(dice, context, outcome);
    }
    outcome.Add(context.Fault());
  }
  outcome.Expect();
}

}  // namespace
}  // namespace virtqueue
