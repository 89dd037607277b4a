// A split and a packed ring side by side: the same calls give the same chains,
// lengths and tokens, and the same notifications are needed. The event index
// goes by entries on the one and by slots on the other, so there each chain of
// several buffers has a table, and the two are the same.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {
namespace {

// What each call said, in order.
using Trace = std::vector<uint64_t>;

constexpr uint16_t kMostBuffers = 4;

class Rings {
 public:
  Rings(RingFormat format, uint16_t size, bool event_idx)
      : addrs_(LayRing(format,
                       memory_.Allocate(RingBytes(format, size), kCacheLine),
                       size)),
        buffers_(memory_.Allocate(4096, kCacheLine)),
        driver_(*DriverQueue::Create(
            memory_.memory(), addrs_,
            {.size = size,
             .event_idx = event_idx,
             .indirect = event_idx,
             .indirect_tables = memory_.Allocate(
                 size * kMostBuffers * kDescriptorBytes, kDescriptorBytes),
             .indirect_table_entries = kMostBuffers})),
        device_(*DeviceQueue::Create(
            memory_.memory(), addrs_,
            {.size = size, .event_idx = event_idx, .indirect = event_idx})) {}

  void Step(uint32_t roll) {
    switch (roll % 8) {
      case 0:
      case 1:
        return Add(roll / 8);
      case 2:
        return Note(driver_.Publish());
      case 3:
        return Pop();
      case 4:
        return Push(roll / 8);
      case 5:
        return Note(device_.Publish());
      case 6:
        return Collect();
      default:
        return Sleep(roll / 8);
    }
  }

  const Trace& trace() const { return trace_; }
  uint64_t collected() const { return collected_; }

 private:
  void Note(uint64_t said) { trace_.push_back(said); }

  void Add(uint32_t roll) {
    const std::vector<DriverQueue::Buffer> readable(roll % 3,
                                                    {buffers_, 1 + roll % 50});
    const std::vector<DriverQueue::Buffer> writable(roll / 3 % 3,
                                                    {buffers_, 1 + roll % 40});
    Note(static_cast<uint64_t>(driver_.Add(readable, writable, roll)));
    Note(driver_.free_descriptors());
  }

  void Pop() {
    Chain chain;
    Note(static_cast<uint64_t>(device_.Pop(chain)));
    if (!chain.pending()) return;
    Note(chain.readable_bytes());
    Note(chain.writable_bytes());
    Note(chain.descriptors());
    held_.push_back(std::move(chain));
  }

  // The oldest or the newest; or it is put back.
  void Push(uint32_t roll) {
    if (held_.empty()) return;
    const bool newest = roll % 2 != 0;
    Chain chain = std::move(newest ? held_.back() : held_.front());
    newest ? held_.pop_back() : held_.pop_front();
    if (newest && roll % 5 == 0) return device_.UnPop(chain);
    device_.Push(chain, static_cast<uint32_t>(chain.writable_bytes() / 2));
  }

  void Collect() {
    const std::optional<DriverQueue::Used> used = driver_.Collect();
    Note(used.has_value());
    if (!used.has_value()) return;
    Note(used->token);
    Note(used->len);
    ++collected_;
  }

  // Either half asks to be notified, or not to be.
  void Sleep(uint32_t roll) {
    switch (roll % 4) {
      case 0:
        return Note(driver_.EnableNotifications());
      case 1:
        return driver_.DisableNotifications();
      case 2:
        return Note(device_.EnableNotifications());
      default:
        return device_.DisableNotifications();
    }
  }

  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 20);
  const RingAddrs addrs_;
  const GuestAddr buffers_;
  DriverQueue driver_;
  DeviceQueue device_;
  std::deque<Chain> held_;
  Trace trace_;
  uint64_t collected_ = 0;
};

using Param = std::tuple<uint16_t, bool>;

class RingFormatsTest : public testing::TestWithParam<Param> {};

TEST_P(RingFormatsTest, SameCallsGiveTheSameChainsLengthsAndNotifications) {
  const auto [size, event_idx] = GetParam();
  Rings split(RingFormat::kSplit, size, event_idx);
  Rings packed(RingFormat::kPacked, size, event_idx);
  uint64_t state = size;

  for (uint32_t i = 0; i < 300'000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    split.Step(static_cast<uint32_t>(state >> 33));
    packed.Step(static_cast<uint32_t>(state >> 33));
  }

  EXPECT_EQ(split.trace(), packed.trace());
  EXPECT_GT(split.collected(), 1000u);
}

std::string Name(const testing::TestParamInfo<Param>& test) {
  const auto [size, event_idx] = test.param;
  return std::to_string(size) + (event_idx ? "EventIdx" : "Flags");
}

INSTANTIATE_TEST_SUITE_P(Flags, RingFormatsTest,
                         testing::Combine(testing::Values(2, 4, 16, 256),
                                          testing::Values(false)),
                         Name);

// An event that was passed and is not moved comes up again: after two rounds of
// a packed ring, after 65536 entries of a split one. No half leaves its event
// for as long as two rounds of these.
INSTANTIATE_TEST_SUITE_P(EventIdx, RingFormatsTest,
                         testing::Combine(testing::Values(64, 256),
                                          testing::Values(true)),
                         Name);

}  // namespace
}  // namespace virtqueue
