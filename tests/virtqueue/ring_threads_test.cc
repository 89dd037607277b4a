// Driver and device on two threads that sleep whenever they have nothing to do.
// Bounded by counts: a lost notification is found by Rendezvous, a torn or
// early byte by its value, and a missing barrier by ThreadSanitizer, too.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "tests/virtqueue/rendezvous.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {
namespace {

constexpr RingFormat kPacked = RingFormat::kPacked;

struct Traffic {
  std::string name;
  RingFormat format = RingFormat::kSplit;
  uint16_t size = 16;
  bool event_idx = false;
  bool indirect = false;
  bool delayed = false;      // the driver waits for three quarters
  uint32_t depth = 1;        // chains under way at most
  uint32_t batch = 1;        // chains the device uses before it publishes
  uint32_t chains = 20'000;  // in all

  friend std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
    return out << traffic.name;
  }
};

// What the device answers to `question`.
uint64_t Answer(uint64_t question) { return question * 0x9e3779b97f4a7c15; }

class TwoThreads {
 public:
  explicit TwoThreads(const Traffic& traffic)
      : traffic_(traffic),
        driver_(
            *DriverQueue::Create(memory_.memory(), addrs_, DriverOptions())),
        device_(*DeviceQueue::Create(memory_.memory(), addrs_,
                                     {.size = traffic.size,
                                      .event_idx = traffic.event_idx,
                                      .indirect = traffic.indirect})) {}

  void Run() {
    std::thread device([this] { RunDevice(); });
    RunDriver();
    device.join();
  }

  bool lost_notification() const { return rendezvous_.deadlock(); }
  int sleeps() const {
    return rendezvous_.sleeps(Rendezvous::kDriver) +
           rendezvous_.sleeps(Rendezvous::kDevice);
  }
  uint32_t right_answers() const { return right_answers_; }
  const absl::Status& driver_status() const { return driver_.status(); }
  const absl::Status& device_status() const { return device_.status(); }

 private:
  DriverQueue::Options DriverOptions() {
    DriverQueue::Options options = {.size = traffic_.size,
                                    .event_idx = traffic_.event_idx,
                                    .indirect = traffic_.indirect};
    if (traffic_.indirect) {
      options.indirect_table_entries = 2;
      options.indirect_tables =
          memory_.Allocate(options.IndirectBytes(), kCacheLine);
    }
    return options;
  }

  // Question and answer of chain number `n`; a line for each under way.
  GuestAddr PlaceOf(uint64_t n) const {
    return questions_ + n % traffic_.depth * kCacheLine;
  }
  std::byte* BytesAt(GuestAddr at) const {
    return memory_.memory().TrySlice(at, sizeof(uint64_t)).data();
  }

  void RunDriver() {
    uint32_t sent = 0;
    uint32_t done = 0;
    while (done < traffic_.chains) {
      for (; sent < traffic_.chains && sent - done < traffic_.depth; ++sent) {
        Ask(sent);
      }
      if (driver_.Publish()) rendezvous_.Ring(Rendezvous::kDevice);
      const uint32_t before = done;
      while (CollectOne(done)) ++done;
      if (done != before) continue;
      if (!driver_.status().ok() || !WaitForUsed()) break;
    }
    rendezvous_.Leave(Rendezvous::kDriver);
  }

  void Ask(uint32_t n) {
    const uint64_t question = n + 1;
    std::memcpy(BytesAt(PlaceOf(n)), &question, sizeof(question));
    const DriverQueue::Buffer readable[] = {{PlaceOf(n), sizeof(question)}};
    const DriverQueue::Buffer writable[] = {
        {PlaceOf(n) + sizeof(question), sizeof(question)}};
    VSOCK_CHECK(driver_.Add(readable, writable, n) ==
                DriverQueue::AddResult::kAdded);
  }

  // The device keeps the order, so chain number `n` is next.
  bool CollectOne(uint32_t n) {
    const std::optional<DriverQueue::Used> used = driver_.Collect();
    if (!used.has_value()) return false;
    uint64_t answer = 0;
    std::memcpy(&answer, BytesAt(PlaceOf(n) + sizeof(answer)), sizeof(answer));
    if (used->token == n && used->len == sizeof(answer) &&
        answer == Answer(n + 1)) {
      ++right_answers_;
    }
    return true;
  }

  bool WaitForUsed() {
    const bool pending = traffic_.delayed ? driver_.EnableNotificationsDelayed()
                                          : driver_.EnableNotifications();
    const bool go_on = pending || rendezvous_.Sleep(Rendezvous::kDriver);
    driver_.DisableNotifications();
    return go_on;
  }

  void RunDevice() {
    Chain chain;
    uint32_t used = 0;
    while (used < traffic_.chains && device_.status().ok()) {
      if (device_.Pop(chain) == DeviceQueue::PopResult::kChain) {
        Reply(chain);
        if (++used % traffic_.batch == 0) PublishUsed();
        continue;
      }
      PublishUsed();
      if (!WaitForAvailable()) break;
    }
    PublishUsed();
    rendezvous_.Leave(Rendezvous::kDevice);
  }

  void Reply(Chain& chain) {
    uint64_t question = 0;
    chain.CopyFrom(0, absl::MakeSpan(reinterpret_cast<std::byte*>(&question),
                                     sizeof(question)));
    const uint64_t answer = Answer(question);
    chain.CopyTo(
        0, absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&answer),
                               sizeof(answer)));
    device_.Push(chain, sizeof(answer));
  }

  void PublishUsed() {
    if (device_.Publish()) rendezvous_.Ring(Rendezvous::kDriver);
  }

  bool WaitForAvailable() {
    const bool go_on =
        device_.EnableNotifications() || rendezvous_.Sleep(Rendezvous::kDevice);
    device_.DisableNotifications();
    return go_on;
  }

  const Traffic traffic_;
  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 20);
  const GuestAddr questions_ =
      memory_.Allocate(kCacheLine * traffic_.depth, kCacheLine);
  const RingAddrs addrs_ = LayRing(
      traffic_.format,
      memory_.Allocate(RingBytes(traffic_.format, traffic_.size), kCacheLine),
      traffic_.size);
  DriverQueue driver_;
  DeviceQueue device_;
  Rendezvous rendezvous_;
  uint32_t right_answers_ = 0;
};

class TwoThreadsTest : public testing::TestWithParam<Traffic> {};

TEST_P(TwoThreadsTest, LoseNeitherChainsNorNotifications) {
  Spec("1.3", "2.7.13.3.1", Level::kMust);
  Spec("1.3", "2.7.13.4.1", Level::kMust);
  Spec("1.3", "2.8.21.1.1", Level::kMust);
  Spec("1.3", "2.8.21.3.1", Level::kMust);
  TwoThreads threads(GetParam());

  threads.Run();

  EXPECT_FALSE(threads.lost_notification());
  EXPECT_EQ(threads.right_answers(), GetParam().chains);
  EXPECT_TRUE(threads.driver_status().ok());
  EXPECT_TRUE(threads.device_status().ok());
  EXPECT_GT(threads.sleeps(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Traffic, TwoThreadsTest,
    testing::Values(Traffic{.name = "FlagsDepth1"},
                    Traffic{.name = "EventIdxDepth1", .event_idx = true},
                    Traffic{
                        .name = "FlagsDepth7Batch3", .depth = 7, .batch = 3},
                    Traffic{.name = "EventIdxDepth7Batch3",
                            .event_idx = true,
                            .depth = 7,
                            .batch = 3},
                    Traffic{.name = "EventIdxDelayedDepth8",
                            .event_idx = true,
                            .delayed = true,
                            .depth = 8},
                    Traffic{.name = "EventIdxIndirectDepth16PastTheWrap",
                            .event_idx = true,
                            .indirect = true,
                            .depth = 16,
                            .batch = 4,
                            .chains = 70'000},
                    Traffic{.name = "FlagsWholeRingPastTheWrap",
                            .size = 256,
                            .depth = 128,
                            .batch = 32,
                            .chains = 70'000},
                    Traffic{.name = "PackedFlagsDepth1", .format = kPacked},
                    Traffic{.name = "PackedEventIdxDepth1",
                            .format = kPacked,
                            .event_idx = true},
                    Traffic{.name = "PackedEventIdxDelayedDepth3Batch2Size7",
                            .format = kPacked,
                            .size = 7,
                            .event_idx = true,
                            .delayed = true,
                            .depth = 3,
                            .batch = 2},
                    Traffic{.name = "PackedEventIdxIndirectDepth16",
                            .format = kPacked,
                            .event_idx = true,
                            .indirect = true,
                            .depth = 16,
                            .batch = 4},
                    Traffic{.name = "PackedFlagsWholeRingOf100",
                            .format = kPacked,
                            .size = 100,
                            .depth = 50,
                            .batch = 13}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace virtqueue
