// virtio 1.3, 2.8 "Packed Virtqueues": a test for each MUST and SHOULD of the
// chapter that the model has to do with. docs/spec_map.md lists them by clause,
// with those that are left out.

#include "virtqueue/packed_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "tests/virtqueue/heap_memory.h"
#include "tests/virtqueue/packed_context.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/testing/raw_packed.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;
using Desc = RawPacked::Desc;
using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 5;
constexpr Desc kOne = {.addr = kBuffers, .len = 1};

// Memory of pages that can be taken away from whoever must not touch them.
class Pages {
 public:
  enum Page { kDesc, kDriver, kDevice, kBuffer, kPages };

  Pages()
      : bytes_(mmap(nullptr, kPages * kBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    VSOCK_CHECK(bytes_ != MAP_FAILED);
    VSOCK_CHECK(kBytes % static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) == 0);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(bytes_, kPages * kBytes); }

  static GuestAddr At(Page page) { return GuestAddr(page * kBytes); }

  GuestMemory memory() const {
    return *GuestMemory::Create(
        {{.base = GuestAddr(0),
          .bytes = {static_cast<std::byte*>(bytes_), kPages * kBytes}}});
  }

  PackedRingAddrs addrs() const {
    return {.desc = At(kDesc),
            .driver_events = At(kDriver),
            .device_events = At(kDevice)};
  }

  void Allow(Page page, int protection) const {
    const absl::Span<std::byte> bytes = *memory().Slice(At(page), kBytes);
    VSOCK_CHECK(mprotect(bytes.data(), kBytes, protection) == 0);
  }

 private:
  static constexpr uint64_t kBytes = 16384;  // of a page, at least

  void* const bytes_;
};

// Both halves over such memory, and one chain of a buffer available.
struct PagesContext {
  explicit PagesContext(bool writable) {
    const DriverQueue::Buffer buffer[] = {{Pages::At(Pages::kBuffer), 8}};
    if (writable) {
      driver.Add({}, buffer, 0);
    } else {
      driver.Add(buffer, {}, 0);
    }
    driver.Publish();
  }

  Pages pages;
  DriverQueue driver =
      *DriverQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  DeviceQueue device =
      *DeviceQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  Chain chain;
};

// 2.8.11, Driver Requirements: Virtqueues.

TEST(PackedVirtqueues, DriverAlignsTheFirstByteOfEachPart) {
  Spec("1.3", "2.8.11", Level::kMust);
  const HeapMemory heap({{0, 4096}});
  const PackedRingAddrs good = LayPackedRing(GuestAddr(64), kSize);
  const auto create = [&](uint64_t desc, uint64_t driver, uint64_t device) {
    return DriverQueue::Create(
               heap.memory(),
               PackedRingAddrs{.desc = good.desc + desc,
                               .driver_events = good.driver_events + driver,
                               .device_events = good.device_events + device},
               {.size = kSize})
        .ok();
  };

  EXPECT_TRUE(create(0, 0, 0));
  for (uint64_t off = 1; off < 16; ++off) EXPECT_FALSE(create(off, 0, 0));
  for (uint64_t off = 1; off < 4; ++off) EXPECT_FALSE(create(0, off, 0));
  for (uint64_t off = 1; off < 4; ++off) EXPECT_FALSE(create(0, 0, off));
}

// 2.8.12, Device Requirements: Virtqueues.

TEST(PackedVirtqueues, DeviceStartsDescriptorsInTheOrderOfTheRing) {
  Spec("1.3", "2.8.12", Level::kMust);
  PackedDeviceContext context({.size = kSize});
  for (const uint16_t id : std::vector<uint16_t>{3, 1, 4}) {
    context.Offer({kOne}, id);
  }

  for (const uint32_t id : {3u, 1u, 4u}) {
    ASSERT_EQ(context.Pop(), PopResult::kChain);
    EXPECT_EQ(context.chain.head(), id);
    context.device.Push(context.chain, 0);
  }
}

TEST(PackedVirtqueues, DeviceStartsUsedDescriptorsInTheOrderOfCompletion) {
  Spec("1.3", "2.8.12", Level::kMust);
  PackedDeviceContext context({.size = kSize});
  Chain chains[3];
  for (uint16_t id = 0; id < 3; ++id) {
    context.Offer({kOne}, id);
    context.device.Pop(chains[id]);
  }

  for (const size_t id : {2, 0, 1}) {
    context.device.Push(chains[id], 0);
    context.device.Publish();
  }

  EXPECT_EQ(context.ring.Read(0).id, 2);
  EXPECT_EQ(context.ring.Read(1).id, 0);
  EXPECT_EQ(context.ring.Read(2).id, 1);
}

// 2.8.15, Device Requirements: The Virtqueue Descriptor Table.

// A stray access ends the test with a signal.
TEST(PackedDescriptors, DeviceWritesNeitherReadableBuffersNorDriverEvents) {
  Spec("1.3", "2.8.15", Level::kMustNot);
  PagesContext context(/*writable=*/false);
  context.pages.Allow(Pages::kBuffer, PROT_READ);
  context.pages.Allow(Pages::kDriver, PROT_READ);
  std::byte bytes[8];

  ASSERT_EQ(context.device.Pop(context.chain), PopResult::kChain);
  EXPECT_EQ(context.chain.CopyFrom(0, bytes), 8u);
  context.device.Push(context.chain, 0);
  context.device.Publish();
  context.device.EnableNotifications();

  EXPECT_TRUE(context.driver.Collect().has_value());
}

TEST(PackedDescriptors, DeviceDoesNotReadWritableBuffers) {
  Spec("1.3", "2.8.15", Level::kShouldNot);
  PagesContext context(/*writable=*/true);
  context.pages.Allow(Pages::kBuffer, PROT_NONE);

  ASSERT_EQ(context.device.Pop(context.chain), PopResult::kChain);
  context.device.Push(context.chain, 0);
  context.device.Publish();

  EXPECT_TRUE(context.driver.Collect().has_value());
}

TEST(PackedDescriptors, DeviceUsesNoneBeforeItSeesAvailChanged) {
  Spec("1.3", "2.8.15", Level::kMustNot);
  PackedDeviceContext context({.size = kSize});
  for (const uint16_t flags : std::vector<uint16_t>{0, 0x8000, 0x8080}) {
    context.ring.Write(0, {.addr = kBuffers, .len = 1, .flags = flags});

    EXPECT_EQ(context.Pop(), PopResult::kEmpty);
    EXPECT_FALSE(context.device.HasAvailable());
  }
  context.ring.Write(0, {.addr = kBuffers, .len = 1, .flags = 0x0080});

  EXPECT_EQ(context.Pop(), PopResult::kChain);
}

TEST(PackedDescriptors, DeviceChangesNoneAfterItWasUsed) {
  Spec("1.3", "2.8.15", Level::kMustNot);
  PackedDeviceContext context({.size = kSize});
  context.Offer({kOne}, /*id=*/3);
  context.PopAndUse();
  const Desc used = context.ring.Read(0);

  for (uint16_t id = 0; id < kSize - 1; ++id) {
    context.Offer({kOne}, id);
    context.PopAndUse();
    context.device.EnableNotifications();
    EXPECT_EQ(context.ring.Read(0), used);
  }
}

// 2.8.16, Driver Requirements: The Virtqueue Descriptor Table.

TEST(PackedDescriptors, DriverChangesNoneBetweenAvailableAndUsed) {
  Spec("1.3", "2.8.16", Level::kMustNot);
  PackedDriverContext context({.size = kSize});
  context.Add({1, 2}, {3});
  context.driver.Publish();
  const Desc before[] = {context.ring.Read(0), context.ring.Read(1),
                         context.ring.Read(2)};

  while (context.Add({7}, {}) == AddResult::kAdded) context.driver.Publish();
  context.driver.EnableNotifications();
  context.driver.Collect();

  for (uint16_t i = 0; i < 3; ++i) EXPECT_EQ(context.ring.Read(i), before[i]);
}

TEST(PackedDescriptors, DriverMayNotifyAgainWithoutNewOnes) {
  Spec("1.3", "2.8.16", Level::kMay);
  PackedDeviceContext context({.size = kSize});

  for (int kick = 0; kick < 3; ++kick) {
    EXPECT_EQ(context.Pop(), PopResult::kEmpty);
    EXPECT_FALSE(context.device.EnableNotifications());
  }
  context.Offer({kOne});

  EXPECT_EQ(context.Pop(), PopResult::kChain);
}

// 2.8.17, Driver Requirements: Scatter-Gather Support.

TEST(PackedScatterGather, DriverMakesNoListLongerThanTheQueueSize) {
  Spec("1.3", "2.8.17", Level::kMustNot);
  PackedDriverContext direct({.size = kSize});
  PackedDriverContext tables(
      {.size = kSize, .indirect = true, .indirect_table_entries = kSize + 1});
  const std::vector<uint32_t> longest(kSize, 1);
  const std::vector<uint32_t> longer(kSize + 1, 1);

  EXPECT_EQ(direct.Add(longer, {}), AddResult::kRefused);
  EXPECT_EQ(tables.Add(longer, {}), AddResult::kRefused);
  EXPECT_EQ(direct.Add(longest, {}), AddResult::kAdded);
  EXPECT_EQ(tables.Add(longest, {}), AddResult::kAdded);
}

TEST(PackedScatterGather, DriverPlacesWritableElementsAfterReadableOnes) {
  Spec("1.3", "2.8.17", Level::kMust);
  PackedDriverContext context({.size = kSize});

  context.Add({1, 2, 3}, {4, 5});
  context.driver.Publish();

  for (uint16_t slot = 0; slot < kSize; ++slot) {
    const Desc desc = context.ring.Read(slot);
    EXPECT_EQ(desc.len, slot + 1u);
    EXPECT_EQ((desc.flags & kDescWrite) != 0, slot >= 3);
  }
}

TEST(PackedScatterGather, DriverHasRoomForAllBeforeItShowsTheFirst) {
  Spec("1.3", "2.8.17", Level::kMust);
  PackedDriverContext context({.size = kSize});
  context.Add({1, 1, 1}, {});
  context.driver.Publish();

  EXPECT_EQ(context.Add({1, 1, 1}, {}), AddResult::kNoRoom);

  EXPECT_FALSE(context.driver.Publish());
  for (uint16_t slot = 3; slot < kSize; ++slot) {
    EXPECT_EQ(context.ring.Read(slot), Desc{});
  }
}

TEST(PackedScatterGather, DriverShowsTheFirstAfterAllOthers) {
  Spec("1.3", "2.8.17", Level::kMustNot);
  PackedDriverContext context({.size = kSize});

  context.Add({1, 1}, {1});

  EXPECT_EQ(context.ring.Read(0).flags, 0);
  EXPECT_EQ(context.ring.Read(1).flags, 0x0080 | kDescNext);
  EXPECT_EQ(context.ring.Read(2).flags, 0x0080 | kDescWrite);
  context.driver.Publish();
  EXPECT_EQ(context.ring.Read(0).flags, 0x0080 | kDescNext);
}

// 2.8.18, Device Requirements: Scatter-Gather Support.

TEST(PackedScatterGather, DeviceTakesTheElementsOfAListInTheirOrder) {
  Spec("1.3", "2.8.18", Level::kMust);
  PackedDeviceContext context({.size = kSize});
  context.Offer({{.addr = kBuffers + 5, .len = 1},
                 {.addr = kBuffers, .len = 2},
                 {.addr = kBuffers + 9, .len = 3}});

  ASSERT_EQ(context.Pop(), PopResult::kChain);

  ASSERT_EQ(context.chain.readable().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(context.chain.readable()[i].size(), i + 1);
  }
}

// 2.8.19, Driver Requirements: Indirect Descriptors.

TEST(PackedIndirect, DriverSetsTheFlagOnlyIfNegotiated) {
  Spec("1.3", "2.8.19", Level::kMustNot);
  PackedDriverContext context({.size = kSize, .indirect_table_entries = 2});

  context.Add({1, 1}, {});
  context.driver.Publish();

  EXPECT_EQ(context.ring.Read(0).flags, 0x0080 | kDescNext);
  EXPECT_EQ(context.ring.Read(1).flags, 0x0080);
}

TEST(PackedIndirect, DriverSetsNoFlagButWriteWithinATable) {
  Spec("1.3", "2.8.19", Level::kMustNot);
  PackedDriverContext context(
      {.size = kSize, .indirect = true, .indirect_table_entries = 3});
  context.Add({1, 1}, {1});
  context.driver.Publish();

  const absl::Span<std::byte> table =
      context.heap.Bytes(context.ring.Read(0).addr, 48);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::to_integer<int>(table[16 * i + 14]), i == 2 ? 2 : 0);
    EXPECT_EQ(std::to_integer<int>(table[16 * i + 15]), 0);
  }
}

TEST(PackedIndirect, DriverLinksNoDescriptorThatRefersToATable) {
  Spec("1.3", "2.8.19", Level::kMustNot);
  PackedDriverContext context(
      {.size = kSize, .indirect = true, .indirect_table_entries = 3});
  context.Add({1, 1}, {1});
  context.Add({1, 1}, {});
  context.driver.Publish();

  EXPECT_EQ(context.ring.Read(0).flags, 0x0080 | kDescIndirect);
  EXPECT_EQ(context.ring.Read(1).flags, 0x0080 | kDescIndirect);
}

// 2.8.21, Supplying Buffers to The Device, and 2.8.22, Receiving Used Buffers.

TEST(PackedSupplyingBuffers, DriverMayShowABatchByItsFirstDescriptor) {
  Spec("1.3", "2.8.21.1", Level::kMay);
  PackedDriverContext context({.size = kSize});
  for (int i = 0; i < 3; ++i) context.Add({1}, {});

  EXPECT_EQ(context.ring.Read(0).flags, 0);
  EXPECT_TRUE(context.driver.Publish());

  for (uint16_t i = 0; i < 3; ++i) {
    EXPECT_EQ(context.ring.Read(i).flags, 0x0080);
  }
}

TEST(PackedSupplyingBuffers, DeviceMaySuppressNotifications) {
  Spec("1.3", "2.8.21.2", Level::kMay);
  PackedDriverContext context({.size = kSize});

  EXPECT_TRUE(context.Send());
  context.ring.WriteDeviceEvents(0, kEventsDisable);
  EXPECT_FALSE(context.Send());
  context.ring.WriteDeviceEvents(0, kEventsEnable);
  EXPECT_TRUE(context.Send());
}

TEST(PackedReceivingUsedBuffers, DriverLooksAgainAfterItEnabled) {
  Spec("1.3", "2.8.22", Level::kMay);
  PackedDriverContext context({.size = kSize});
  context.Send();
  context.driver.DisableNotifications();
  EXPECT_EQ(context.ring.DriverEvents().flags, kEventsDisable);
  EXPECT_FALSE(context.driver.Collect().has_value());

  context.Use(0, context.IdAt(0), 1);

  EXPECT_TRUE(context.driver.EnableNotifications());
  EXPECT_EQ(context.ring.DriverEvents().flags, kEventsEnable);
  EXPECT_TRUE(context.driver.Collect().has_value());
}

}  // namespace
}  // namespace virtqueue
