// The full barriers of 2.7.13.4.1 and of its mirror: one half publishes in the
// very moment in which the other asks to be notified. At least one of them has
// to see what the other wrote, or a notification is lost. Without the barriers
// each may read before its own write is visible, and then neither does.

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 4;
constexpr uint32_t kRounds = 30'000;

// Two threads leave Meet together, as nearly as they can.
class MeetingPoint {
 public:
  void Meet() {
    const uint32_t round = met_.fetch_add(1) / 2;
    while (met_.load() < 2 * (round + 1)) {
      if (++spins_ % 128 == 0) std::this_thread::yield();
    }
  }

 private:
  std::atomic<uint32_t> met_ = 0;
  static thread_local uint32_t spins_;
};

thread_local uint32_t MeetingPoint::spins_ = 0;

// Now one thread is ahead by a few instructions, now the other.
void Stagger(uint32_t round, uint32_t salt) {
  for (uint32_t i = (round * salt) % 23; i != 0; --i) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

using Param = std::tuple<RingFormat, bool>;

class RingBarrierTest : public testing::TestWithParam<Param> {
 protected:
  struct Round {
    bool notified = false;  // who published was told to notify
    bool pending = false;   // who enabled was told to look again
  };

  static std::vector<Round> Rounds() { return std::vector<Round>(kRounds); }

  void DriverThread() {
    const DriverQueue::Buffer buffer[] = {{GuestAddr(0), 0}};
    for (uint32_t i = 0; i < kRounds; ++i) {
      VSOCK_CHECK(driver_.Add(buffer, {}, i) == DriverQueue::AddResult::kAdded);
      driver_.DisableNotifications();
      meeting_.Meet();
      Stagger(i, 7);
      of_device_[i].notified = driver_.Publish();
      meeting_.Meet();
      Stagger(i, 5);
      of_driver_[i].pending = driver_.EnableNotifications();
      meeting_.Meet();
      VSOCK_CHECK(driver_.Collect().has_value());
    }
  }

  void DeviceThread() {
    Chain chain;
    for (uint32_t i = 0; i < kRounds; ++i) {
      device_.DisableNotifications();
      meeting_.Meet();
      Stagger(i, 3);
      of_device_[i].pending = device_.EnableNotifications();
      while (device_.Pop(chain) != DeviceQueue::PopResult::kChain) {
        std::this_thread::yield();
      }
      device_.Push(chain, 0);
      meeting_.Meet();
      Stagger(i, 11);
      of_driver_[i].notified = device_.Publish();
      meeting_.Meet();
    }
  }

  static uint32_t Lost(const std::vector<Round>& rounds) {
    uint32_t lost = 0;
    for (const Round& round : rounds) {
      if (!round.notified && !round.pending) ++lost;
    }
    return lost;
  }

  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 16);
  const RingFormat format_ = std::get<RingFormat>(GetParam());
  const bool event_idx_ = std::get<bool>(GetParam());
  const RingAddrs addrs_ = LayRing(
      format_, memory_.Allocate(RingBytes(format_, kSize), kCacheLine), kSize);
  DriverQueue driver_ = *DriverQueue::Create(
      memory_.memory(), addrs_, {.size = kSize, .event_idx = event_idx_});
  DeviceQueue device_ = *DeviceQueue::Create(
      memory_.memory(), addrs_, {.size = kSize, .event_idx = event_idx_});
  MeetingPoint meeting_;
  std::vector<Round> of_device_ = Rounds();  // the driver publishes
  std::vector<Round> of_driver_ = Rounds();  // the device publishes
};

TEST_P(RingBarrierTest, PublishingAndEnablingAtOnceLosesNoNotification) {
  Spec("1.3", "2.7.13.4.1", Level::kMust);
  Spec("1.3", "2.8.21.3.1", Level::kMust);

  std::thread device([this] { DeviceThread(); });
  DriverThread();
  device.join();

  EXPECT_EQ(Lost(of_device_), 0u);
  EXPECT_EQ(Lost(of_driver_), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Suppression, RingBarrierTest,
    testing::Combine(testing::Values(RingFormat::kSplit, RingFormat::kPacked),
                     testing::Bool()),
    [](const auto& test) {
      return std::string(std::get<RingFormat>(test.param) == RingFormat::kPacked
                             ? "Packed"
                             : "Split") +
             (std::get<bool>(test.param) ? "EventIdx" : "Flags");
    });

}  // namespace
}  // namespace virtqueue
