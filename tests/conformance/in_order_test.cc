// VIRTIO_F_IN_ORDER: what virtio 1.3 asks of either half once it was
// negotiated, in 2.7.5.2, 2.7.5.3.1, 2.7.9, 2.8.8 and 6.2. docs/spec_map.md
// lists the tests by clause.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_driver.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;

DeviceContext Device() {
  return DeviceContext({.size = kSize, .indirect = true, .in_order = true});
}

// Three chains of one readable descriptor, popped.
std::vector<Chain> TakeThree(DeviceContext& context) {
  std::vector<Chain> chains(3);
  for (uint16_t i = 0; i < 3; ++i) {
    context.Put(i, {{.addr = kBuffers, .len = 1}});
    context.driver.Offer(i);
    EXPECT_EQ(context.device.Pop(chains[i]), PopResult::kChain);
  }
  return chains;
}

std::vector<Chain> TakeThree(PackedDeviceContext& context) {
  std::vector<Chain> chains(3);
  for (uint16_t i = 0; i < 3; ++i) {
    context.Offer({{.addr = kBuffers, .len = 1}}, /*id=*/i);
    EXPECT_EQ(context.device.Pop(chains[i]), PopResult::kChain);
  }
  return chains;
}

TEST(InOrderUse, DriverLinksEachDescriptorToTheFollowingOne) {
  Spec("1.3", "2.7.5.2", Level::kMust);
  DriverContext context({.size = kSize, .in_order = true});
  for (uint16_t entry = 0; entry < 20; ++entry) {
    context.Add({1, 1}, {1});
    context.driver.Publish();
    const uint16_t head = context.device.Head(entry % kSize);

    for (int link = 0; link < 2; ++link) {
      const auto x = static_cast<uint16_t>((head + link) % kSize);
      const Descriptor desc = context.device.ReadDescriptor(x);
      EXPECT_EQ(desc.flags & kDescNext, kDescNext);
      EXPECT_EQ(desc.next, x == kSize - 1 ? 0 : x + 1);
    }
    context.device.Use(head, 0);
    ASSERT_TRUE(context.driver.Collect().has_value());
  }
}

TEST(InOrderUse, DriverLinksTheEntriesOfAnIndirectTableInSequence) {
  Spec("1.3", "2.7.5.3.1", Level::kMust);
  DriverContext context({.size = kSize,
                         .indirect = true,
                         .in_order = true,
                         .indirect_table_entries = 4});

  context.Add({1, 2}, {3, 4});
  context.driver.Publish();

  const uint64_t table = context.device.ReadDescriptor(0).addr;
  for (uint64_t entry = 0; entry < 3; ++entry) {
    const auto bytes = context.heap.Bytes(table + 16 * entry, 16);
    EXPECT_EQ(bytes[8], std::byte(entry + 1));  // len
    EXPECT_EQ(bytes[12] & std::byte{kDescNext}, std::byte{kDescNext});
    EXPECT_EQ(bytes[14], std::byte(entry + 1));  // next
  }
}

TEST(InOrderUse, DeviceUsesBuffersInTheOrderInWhichTheyWereAvailable) {
  Spec("1.3", "6.2", Level::kMust);
  DeviceContext context = Device();
  std::vector<Chain> chains = TakeThree(context);

  context.device.Push(chains[2], 0);
  EXPECT_FALSE(context.device.Publish());
  context.device.Push(chains[0], 0);
  EXPECT_TRUE(context.device.Publish());
  EXPECT_EQ(context.driver.Used(), (std::vector<RawDriver::UsedElem>{{0, 0}}));
  context.device.Push(chains[1], 0);
  EXPECT_TRUE(context.device.Publish());

  EXPECT_EQ(context.driver.UsedIdx(), 3);
  EXPECT_EQ(context.driver.Used()[1], (RawDriver::UsedElem{2, 0}));
}

TEST(InOrderUse, PackedDeviceUsesBuffersInThatOrderToo) {
  Spec("1.3", "6.2", Level::kMust);
  PackedDeviceContext context({.size = 5, .in_order = true});
  std::vector<Chain> chains = TakeThree(context);

  context.device.Push(chains[2], 0);
  EXPECT_FALSE(context.device.Publish());
  context.device.Push(chains[0], 0);
  EXPECT_TRUE(context.device.Publish());
  context.device.Push(chains[1], 0);
  EXPECT_TRUE(context.device.Publish());

  EXPECT_EQ(context.ring.Read(0).id, 0);
  EXPECT_EQ(context.ring.Read(1).id, 2);
}

TEST(InOrderUse, DeviceMayUseABatchByOneElement) {
  Spec("1.3", "2.7.9", Level::kMay);
  DeviceContext context = Device();
  std::vector<Chain> chains = TakeThree(context);

  for (Chain& chain : chains) context.device.Push(chain, 0);
  context.device.Publish();

  EXPECT_EQ(context.driver.UsedIdx(), 3);
  EXPECT_EQ(context.driver.Used()[0], (RawDriver::UsedElem{2, 0}));
  EXPECT_EQ(context.driver.Used()[2], (RawDriver::UsedElem{0, 0}));
}

TEST(InOrderUse, DriverTakesTheSkippedOnesForCompletelyUsed) {
  Spec("1.3", "2.7.9", Level::kMay);
  DriverContext context({.size = kSize, .in_order = true});
  context.Add({5}, {100}, /*token=*/1);
  context.Add({5}, {100}, /*token=*/2);
  context.driver.Publish();

  context.device.SetUsed(0, context.device.Head(1), 30);
  context.device.SetUsedIdx(2);

  EXPECT_EQ(context.driver.Collect()->len, 100u);
  EXPECT_EQ(context.driver.Collect()->len, 30u);
}

TEST(InOrderUse, PackedDeviceMayUseABatchByOneDescriptor) {
  Spec("1.3", "2.8.8", Level::kMay);
  PackedDeviceContext context({.size = 5, .in_order = true});
  std::vector<Chain> chains = TakeThree(context);

  for (Chain& chain : chains) context.device.Push(chain, 0);
  context.device.Publish();

  EXPECT_EQ(context.ring.Read(0).id, 2);
  EXPECT_EQ(context.ring.Read(0).flags, UsedIn(true));
  EXPECT_EQ(context.ring.Read(1).flags, AvailableIn(true));
  EXPECT_EQ(context.ring.Read(2).flags, AvailableIn(true));
}

TEST(InOrderUse, PackedDriverTakesTheSkippedOnesForCompletelyUsed) {
  Spec("1.3", "2.8.8", Level::kMay);
  PackedDriverContext context({.size = 5, .in_order = true});
  context.Add({5}, {100}, /*token=*/1);
  context.Add({5}, {100}, /*token=*/2);
  context.driver.Publish();

  context.Use(0, context.IdAt(3), 30);

  EXPECT_EQ(context.driver.Collect()->len, 100u);
  EXPECT_EQ(context.driver.Collect()->len, 30u);
}

}  // namespace
}  // namespace virtqueue
