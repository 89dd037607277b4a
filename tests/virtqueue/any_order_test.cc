// Fault D11 of the field: a driver that takes it for granted that chains are
// used in the order in which they were made available. Here they are completed
// in a random order, while the driver goes on adding: what the device still has
// to read stays as it was. With VIRTIO_F_IN_ORDER they are used in order all
// the same, as the device half holds back those whose turn it is not.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/dice.h"
#include "virtqueue/chain.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/ring_memory.h"

namespace virtqueue {
namespace {

constexpr uint32_t kBufferBytes = 64;

struct Ring {
  const char* name;
  RingFormat format;
  uint16_t size;
  uint16_t indirect_table_entries;
  bool in_order = false;

  friend std::ostream& operator<<(std::ostream& out, const Ring& ring) {
    return out << ring.name;
  }
};

DriverQueue::Options OptionsOf(const Ring& ring, OwnedGuestMemory& memory) {
  DriverQueue::Options options = {
      .size = ring.size,
      .indirect = ring.indirect_table_entries != 0,
      .in_order = ring.in_order,
      .indirect_table_entries = ring.indirect_table_entries};
  AllocateIndirectTables(memory, options);
  return options;
}

// A device that completes its chains in a random order, and what each chain was
// when it was added, by token. A buffer's address has the token in it, so that
// no two chains on their way are alike.
class AnyOrder {
 public:
  AnyOrder(const Ring& ring, uint64_t seed)
      : dice_(seed),
        addrs_(AllocateRing(memory_, ring.format, ring.size)),
        options_(OptionsOf(ring, memory_)),
        buffers_(memory_.Allocate(kTokens * kBufferBytes, kCacheLine)),
        driver_(*DriverQueue::Create(memory_.memory(), addrs_, options_)),
        device_(*DeviceQueue::Create(memory_.memory(), addrs_,
                                     {.size = ring.size,
                                      .indirect = options_.indirect,
                                      .in_order = ring.in_order})) {}

  void Step() {
    switch (dice_.Below(8)) {
      case 0:
      case 1:
      case 2:
        return Add();
      case 3:
      case 4:
        return Pop();
      case 5:
        return PopAgain();
      case 6:
        return Use();
      default:
        return Collect();
    }
  }

  uint64_t collected() const { return collected_; }
  uint64_t overtaken() const { return overtaken_; }

 private:
  // More than are ever on their way.
  static constexpr uint64_t kTokens = 1024;

  uint64_t TokenOf(const Chain& chain) const {
    const ChainState state = chain.Save(memory_.memory());
    return (state.writable[0].at.value() - buffers_.value()) / kBufferBytes;
  }
  uint32_t AnyHeld() {
    return dice_.Below(static_cast<uint32_t>(held_.size()));
  }

  void Add() {
    const uint64_t token = next_token_ % kTokens;
    const GuestAddr at = buffers_ + token * kBufferBytes;
    std::vector<DriverQueue::Buffer> buffers(1 + dice_.Below(3));
    for (size_t i = 0; i < buffers.size(); ++i) buffers[i] = {at + i, 1};
    if (driver_.Add({}, buffers, token) != DriverQueue::AddResult::kAdded) {
      return;
    }
    driver_.Publish();
    added_[token] = buffers.size();
    ++next_token_;
  }

  // What the device finds is what was added, in that order.
  void Pop() {
    Chain chain;
    if (device_.Pop(chain) != DeviceQueue::PopResult::kChain) {
      ASSERT_TRUE(device_.status().ok()) << device_.status();
      return;
    }
    const uint64_t token = TokenOf(chain);
    ASSERT_EQ(token, popped_++ % kTokens);
    ASSERT_EQ(chain.descriptors(), added_[token]);
    held_.push_back(std::move(chain));
  }

  // On a split ring that reads descriptors which the device has had for long.
  void PopAgain() {
    if (held_.empty()) return;
    Chain& chain = held_[AnyHeld()];
    const ChainState before = chain.Save(memory_.memory());
    device_.UnPop(chain);
    ASSERT_EQ(device_.Pop(chain), DeviceQueue::PopResult::kChain);
    ASSERT_EQ(chain.Save(memory_.memory()), before);
  }

  void Use() {
    if (held_.empty()) return;
    const uint32_t which = AnyHeld();
    overtaken_ += which != 0;
    const uint64_t token = TokenOf(held_[which]);
    device_.Push(held_[which], static_cast<uint32_t>(added_[token]));
    device_.Publish();
    if (options_.in_order) {
      UseInTurn(token);
    } else {
      used_.push_back(token);
    }
    held_.erase(held_.begin() + which);
  }

  void UseInTurn(uint64_t token) {
    waiting_.insert(token);
    for (; waiting_.erase(turn_ % kTokens) != 0; ++turn_) {
      used_.push_back(turn_ % kTokens);
    }
  }

  // Tokens come back in the order of use, each once and with its length.
  void Collect() {
    const std::optional<DriverQueue::Used> used = driver_.Collect();
    ASSERT_TRUE(driver_.status().ok()) << driver_.status();
    ASSERT_EQ(used.has_value(), !used_.empty());
    if (!used.has_value()) return;
    ASSERT_EQ(used->token, used_.front());
    ASSERT_EQ(used->len, added_[used->token]);
    added_.erase(used->token);
    used_.erase(used_.begin());
    ++collected_;
  }

  Dice dice_;
  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 18);
  const RingAddrs addrs_;
  const DriverQueue::Options options_;
  const GuestAddr buffers_;
  DriverQueue driver_;
  DeviceQueue device_;
  std::map<uint64_t, uint64_t> added_;  // how many buffers, by token
  std::vector<Chain> held_;
  std::vector<uint64_t> used_;  // tokens
  std::set<uint64_t> waiting_;  // for their turn
  uint64_t turn_ = 0;
  uint64_t next_token_ = 0;
  uint64_t popped_ = 0;
  uint64_t collected_ = 0;
  uint64_t overtaken_ = 0;
};

class D11AnyOrderTest : public testing::TestWithParam<Ring> {};

TEST_P(D11AnyOrderTest, NoDescriptorThatTheDeviceHasIsOverwritten) {
  AnyOrder run(GetParam(), /*seed=*/11);

  for (uint32_t i = 0; i < 300'000 && !HasFatalFailure(); ++i) run.Step();

  EXPECT_GT(run.collected(), 20'000u);
  EXPECT_GT(run.overtaken(), 5'000u);
}

INSTANTIATE_TEST_SUITE_P(
    Rings, D11AnyOrderTest,
    testing::Values(Ring{"Split8", RingFormat::kSplit, 8, 0},
                    Ring{"SplitIndirect16", RingFormat::kSplit, 16, 2},
                    Ring{"SplitInOrder8", RingFormat::kSplit, 8, 0, true},
                    Ring{"PackedInOrder7", RingFormat::kPacked, 7, 0, true},
                    Ring{"Packed7", RingFormat::kPacked, 7, 0},
                    Ring{"PackedIndirect16", RingFormat::kPacked, 16, 2}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace virtqueue
