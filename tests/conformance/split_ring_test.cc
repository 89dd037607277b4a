// virtio 1.3, 2.7 "Split Virtqueues": a test for each MUST and SHOULD of the
// chapter, and for the MAYs that the queues make use of. docs/spec_map.md lists
// them by clause, with those that are left out.

#include "virtqueue/split_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/support/spec.h"
#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/driver_context.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/indirect_table.h"
#include "virtqueue/testing/raw_device.h"
#include "virtqueue/testing/raw_driver.h"

namespace virtqueue {
namespace {

using AddResult = DriverQueue::AddResult;
using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;

DeviceContext Device(bool event_idx = false) {
  return DeviceContext(
      {.size = kSize, .event_idx = event_idx, .indirect = true});
}

DriverContext Driver(bool event_idx = false) {
  return DriverContext({.size = kSize, .event_idx = event_idx});
}

// Makes a chain available and uses it; whether the driver is to be notified.
bool UseOne(DeviceContext& context) {
  context.Put(0, {{.addr = kBuffers, .len = 16, .flags = kDescWrite}});
  VSOCK_CHECK(context.OfferAndPop(0) == PopResult::kChain);
  context.device.Push(context.chain, 0);
  return context.device.Publish();
}

// Makes a chain available; whether the device is to be notified.
bool AddOne(DriverContext& context) {
  VSOCK_CHECK(context.Add({1}, {}) == AddResult::kAdded);
  return context.driver.Publish();
}

// Memory of pages that can be taken away from whoever must not touch them.
class Pages {
 public:
  enum Page { kDesc, kAvail, kUsed, kReadable, kWritable, kPages };

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

  SplitRingAddrs addrs() const {
    return {.desc = At(kDesc), .avail = At(kAvail), .used = At(kUsed)};
  }

  void Allow(Page page, int protection) const {
    const absl::Span<std::byte> bytes = *memory().Slice(At(page), kBytes);
    VSOCK_CHECK(mprotect(bytes.data(), kBytes, protection) == 0);
  }

 private:
  static constexpr uint64_t kBytes = 16384;  // of a page, at least

  void* const bytes_;
};

// 2.7.1, Driver Requirements: Virtqueues.

TEST(SplitVirtqueues, DriverAlignsTheFirstByteOfEachPart) {
  Spec("1.3", "2.7.1", Level::kMust);
  const HeapMemory heap({{0, 4096}});
  const SplitRingAddrs good = LaySplitRing(GuestAddr(64), kSize);
  const auto create = [&](uint64_t desc, uint64_t avail, uint64_t used) {
    return DriverQueue::Create(heap.memory(),
                               SplitRingAddrs{.desc = good.desc + desc,
                                              .avail = good.avail + avail,
                                              .used = good.used + used},
                               {.size = kSize})
        .ok();
  };

  EXPECT_TRUE(create(0, 0, 0));
  for (uint64_t off = 1; off < 16; ++off) EXPECT_FALSE(create(off, 0, 0));
  EXPECT_FALSE(create(0, 1, 0));
  for (uint64_t off = 1; off < 4; ++off) EXPECT_FALSE(create(0, 0, off));
}

// 2.7.4, Message Framing.

// Six readable bytes and four writable ones from kBuffers on, cut after byte i
// if bit i of `cuts` is set; and between the two kinds.
std::vector<Descriptor> Cut(uint32_t cuts) {
  std::vector<Descriptor> descs = {{.addr = kBuffers}};
  for (uint32_t i = 0; i < 10; ++i) {
    ++descs.back().len;
    if (i >= 6) descs.back().flags |= kDescWrite;
    if (i == 9 || ((cuts | 1u << 5) & (1u << i)) == 0) continue;
    descs.back().flags |= kDescNext;
    descs.back().next = static_cast<uint16_t>(descs.size());
    descs.push_back({.addr = kBuffers + i + 1});
  }
  return descs;
}

std::string Text(absl::Span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

absl::Span<const std::byte> BytesOf(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

TEST(MessageFraming, DeviceDoesNotAssumeAnArrangementOfDescriptors) {
  Spec("1.3", "2.7.4.1", Level::kMustNot);
  DeviceContext context({.size = 16});
  for (uint32_t cuts = 0; cuts < (1u << 9); ++cuts) {
    const absl::Span<std::byte> bytes = context.heap.Bytes(kBuffers, 10);
    std::memcpy(bytes.data(), "header....", 10);
    context.Put(0, Cut(cuts));
    std::byte header[6];

    ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);
    ASSERT_EQ(context.chain.CopyFrom(0, header), 6u);
    ASSERT_EQ(context.chain.CopyTo(0, BytesOf("done")), 4u);

    ASSERT_EQ(Text(header), "header");
    ASSERT_EQ(Text(bytes), "headerdone");
    context.device.Push(context.chain, 4);
    context.device.Publish();
  }
}

TEST(MessageFraming, DriverPlacesWritableElementsAfterReadableOnes) {
  Spec("1.3", "2.7.4.2", Level::kMust);
  DriverContext context = Driver();

  context.Add({1, 2, 3}, {4, 5});

  uint16_t index = context.device.Head(0);
  for (uint32_t len = 1; len <= 5; ++len) {
    const Descriptor desc = context.device.ReadDescriptor(index);
    EXPECT_EQ(desc.len, len);
    EXPECT_EQ((desc.flags & kDescWrite) != 0, len >= 4);
    index = desc.next;
  }
}

TEST(MessageFraming, DriverUsesNoMoreDescriptorsThanThereAreElements) {
  Spec("1.3", "2.7.4.2", Level::kShouldNot);
  DriverContext context = Driver();

  context.Add({70'000}, {1 << 20, 3});

  EXPECT_EQ(context.driver.free_descriptors(), kSize - 3);
}

// 2.7.5, The Virtqueue Descriptor Table.

// Each part of a ring, and a buffer of each kind, on pages that the device may
// use just as the chapter says. A stray access ends the test with a signal.
TEST(DescriptorTable, DeviceWritesNeitherReadableBuffersNorTheDriversParts) {
  Spec("1.3", "2.7.5.1", Level::kMustNot);
  const Pages pages;
  DriverQueue driver =
      *DriverQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  DeviceQueue device =
      *DeviceQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  const DriverQueue::Buffer readable[] = {{Pages::At(Pages::kReadable), 8}};
  driver.Add(readable, {}, 0);
  driver.Publish();
  for (const Pages::Page page :
       {Pages::kDesc, Pages::kAvail, Pages::kReadable}) {
    pages.Allow(page, PROT_READ);
  }
  Chain chain;
  std::byte bytes[8];

  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.CopyFrom(0, bytes), 8u);
  device.Push(chain, 0);
  device.Publish();
  device.EnableNotifications();
  device.DisableNotifications();

  EXPECT_TRUE(driver.Collect().has_value());
}

TEST(DescriptorTable, DeviceDoesNotReadWritableBuffers) {
  Spec("1.3", "2.7.5.1", Level::kShouldNot);
  const Pages pages;
  DriverQueue driver =
      *DriverQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  DeviceQueue device =
      *DeviceQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  const DriverQueue::Buffer writable[] = {{Pages::At(Pages::kWritable), 8}};
  driver.Add({}, writable, 0);
  driver.Publish();
  pages.Allow(Pages::kWritable, PROT_NONE);
  Chain chain;

  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.writable_bytes(), 8u);
  device.Push(chain, 0);
  device.Publish();

  EXPECT_EQ(driver.Collect()->len, 0u);
}

TEST(DescriptorTable, DriverAddsNoChainOfMoreThan4GiB) {
  Spec("1.3", "2.7.5.2", Level::kMustNot);
  DriverContext context = Driver();
  const uint32_t most = 0xffffffff;

  EXPECT_EQ(context.Add({most, 2}, {}), AddResult::kRefused);
  EXPECT_EQ(context.Add({most}, {2}), AddResult::kRefused);
  EXPECT_EQ(context.Add({}, {most, most}), AddResult::kRefused);
  EXPECT_EQ(context.Add({most}, {1}), AddResult::kAdded);
}

// 2.7.5.3, Indirect Descriptors.

bool SetsIndirect(const DriverQueue::Options& options) {
  DriverContext context(options);
  context.Add({1}, {1});
  return (context.device.ReadDescriptor(context.device.Head(0)).flags &
          kDescIndirect) != 0;
}

TEST(IndirectDescriptors, DriverSetsTheFlagOnlyIfNegotiated) {
  Spec("1.3", "2.7.5.3.1", Level::kMustNot);

  EXPECT_FALSE(SetsIndirect(
      {.size = kSize, .indirect = false, .indirect_table_entries = 4}));
  EXPECT_TRUE(SetsIndirect(
      {.size = kSize, .indirect = true, .indirect_table_entries = 4}));
}

TEST(IndirectDescriptors, DriverNestsNoTablesNorLinksThem) {
  Spec("1.3", "2.7.5.3.1", Level::kMustNot);
  DriverContext context(
      {.size = kSize, .indirect = true, .indirect_table_entries = 4});

  context.Add({1, 1}, {1, 1});

  const Descriptor refers =
      context.device.ReadDescriptor(context.device.Head(0));
  EXPECT_EQ(refers.flags, kDescIndirect);
  for (uint32_t i = 0; i < 4; ++i) {
    const Descriptor entry = IndirectTable<SharedDescriptor>(
                                 context.heap.Bytes(refers.addr, refers.len))
                                 .Load(i);
    EXPECT_EQ(entry.flags & kDescIndirect, 0);
  }
}

TEST(IndirectDescriptors, DriverMakesNoChainLongerThanTheQueueSize) {
  Spec("1.3", "2.7.5.3.1", Level::kMustNot);
  DriverContext direct = Driver();
  DriverContext indirect(
      {.size = kSize, .indirect = true, .indirect_table_entries = 2 * kSize});
  const std::vector<uint32_t> longer(kSize + 1, 1);

  EXPECT_EQ(direct.Add(longer, {}), AddResult::kRefused);
  EXPECT_EQ(direct.Add({}, longer), AddResult::kRefused);
  EXPECT_EQ(indirect.Add(longer, {}), AddResult::kRefused);
}

TEST(IndirectDescriptors, DeviceIgnoresTheWriteFlagOfTheOneThatRefers) {
  Spec("1.3", "2.7.5.3.2", Level::kMust);
  DeviceContext context = Device();
  context.driver.WriteTable(GuestAddr(kMiddle), {{.addr = kBuffers, .len = 5}});
  context.Put(
      0, {{.addr = kMiddle, .len = 16, .flags = kDescIndirect | kDescWrite}});

  ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(context.chain.readable_bytes(), 5u);
  EXPECT_EQ(context.chain.writable_bytes(), 0u);
}

TEST(IndirectDescriptors, DeviceTakesOrdinaryOnesFollowedByATable) {
  Spec("1.3", "2.7.5.3.2", Level::kMust);
  for (uint16_t ordinary = 0; ordinary < kSize - 1; ++ordinary) {
    DeviceContext context = Device();
    std::vector<Descriptor> descs = DeviceContext::Linked(ordinary + 1u);
    descs.back() = {.addr = kMiddle, .len = 32, .flags = kDescIndirect};
    context.Put(0, descs);
    context.driver.WriteTable(
        GuestAddr(kMiddle),
        {{.addr = kBuffers, .len = 5, .flags = kDescNext, .next = 1},
         {.addr = kBuffers, .len = 6, .flags = kDescWrite}});

    ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);

    EXPECT_EQ(context.chain.readable_bytes(), ordinary + 5u);
    EXPECT_EQ(context.chain.writable_bytes(), 6u);
  }
}

// 2.7.6, The Virtqueue Available Ring.

TEST(AvailableRing, DriverNeverDecrementsTheIndex) {
  Spec("1.3", "2.7.6.1", Level::kMustNot);
  DriverContext context = Driver();
  uint16_t expected = 0;
  for (uint32_t i = 0; i < 70'000; ++i) {
    const auto batch = static_cast<uint16_t>(1 + i % kSize);
    for (int j = 0; j < batch; ++j) context.Add({1}, {});
    context.driver.Publish();
    expected = static_cast<uint16_t>(expected + batch);

    ASSERT_EQ(context.device.AvailIdx(), expected);
    for (int j = batch; j > 0; --j) {
      context.device.Use(context.device.Head((expected - j) & (kSize - 1)), 0);
    }
    while (context.driver.Collect().has_value()) {
    }
    ASSERT_EQ(context.device.AvailIdx(), expected);
  }
}

// 2.7.7, Used Buffer Notification Suppression.

TEST(UsedBufferNotification, DriverSetsFlagsTo0Or1WithoutEventIdx) {
  Spec("1.3", "2.7.7.1", Level::kMust);
  DriverContext context = Driver(/*event_idx=*/false);

  EXPECT_EQ(context.device.AvailFlags(), 0);
  context.driver.DisableNotifications();
  EXPECT_EQ(context.device.AvailFlags(), 1);
  context.driver.EnableNotifications();
  EXPECT_EQ(context.device.AvailFlags(), 0);
}

TEST(UsedBufferNotification, DriverKeepsFlagsAt0WithEventIdx) {
  Spec("1.3", "2.7.7.1", Level::kMust);
  DriverContext context = Driver(/*event_idx=*/true);

  context.driver.DisableNotifications();
  EXPECT_EQ(context.device.AvailFlags(), 0);
  context.driver.EnableNotifications();
  context.driver.EnableNotificationsDelayed();
  EXPECT_EQ(context.device.AvailFlags(), 0);
}

TEST(UsedBufferNotification, DriverNamesTheNextEntryInUsedEvent) {
  Spec("1.3", "2.7.7.1", Level::kMay);
  DriverContext context = Driver(/*event_idx=*/true);
  for (uint16_t i = 0; i < 3; ++i) {
    context.device.Use(context.Send(), 1);
    context.driver.Collect();

    EXPECT_FALSE(context.driver.EnableNotifications());

    EXPECT_EQ(context.device.UsedEvent(), i + 1);
  }
}

TEST(UsedBufferNotification, DriverTakesASpuriousOneForNothing) {
  Spec("1.3", "2.7.7.1", Level::kMust);
  DriverContext context = Driver();
  const uint16_t head = context.Send(/*token=*/7);

  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(context.driver.Collect().has_value());
  }
  context.device.Use(head, 1);

  EXPECT_EQ(context.driver.Collect()->token, 7u);
  EXPECT_FALSE(context.driver.Collect().has_value());
  EXPECT_TRUE(context.driver.status().ok());
}

TEST(UsedBufferNotification, DeviceIgnoresUsedEventWithoutEventIdx) {
  Spec("1.3", "2.7.7.2", Level::kMust);
  for (const uint16_t event : std::vector<uint16_t>{0, 1, 2, 1000, 65535}) {
    DeviceContext context = Device(/*event_idx=*/false);
    context.driver.SetUsedEvent(event);

    EXPECT_TRUE(UseOne(context));
    EXPECT_TRUE(UseOne(context));
    context.driver.SetAvailFlags(1);
    EXPECT_FALSE(UseOne(context));
  }
}

TEST(UsedBufferNotification, DeviceNotifiesIfFlagsAre0) {
  Spec("1.3", "2.7.7.2", Level::kMust);
  DeviceContext context = Device(/*event_idx=*/false);

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(UseOne(context));
}

TEST(UsedBufferNotification, DeviceDoesNotNotifyIfFlagsAre1) {
  Spec("1.3", "2.7.7.2", Level::kShouldNot);
  DeviceContext context = Device(/*event_idx=*/false);
  context.driver.SetAvailFlags(1);

  for (int i = 0; i < 3; ++i) EXPECT_FALSE(UseOne(context));
}

TEST(UsedBufferNotification, DeviceIgnoresTheLowBitOfFlagsWithEventIdx) {
  Spec("1.3", "2.7.7.2", Level::kMust);
  DeviceContext context = Device(/*event_idx=*/true);
  context.driver.SetAvailFlags(1);
  context.driver.SetUsedEvent(0);

  EXPECT_TRUE(UseOne(context));
}

TEST(UsedBufferNotification, DeviceNotifiesWhenIdxReachesUsedEvent) {
  Spec("1.3", "2.7.7.2", Level::kMust);
  for (uint16_t event = 0; event < 5; ++event) {
    DeviceContext context = Device(/*event_idx=*/true);
    context.driver.SetUsedEvent(event);
    for (uint16_t i = 0; i < event; ++i) UseOne(context);

    EXPECT_TRUE(UseOne(context)) << event;
  }
}

TEST(UsedBufferNotification, DeviceDoesNotNotifyWhenIdxIsElsewhere) {
  Spec("1.3", "2.7.7.2", Level::kShouldNot);
  DeviceContext context = Device(/*event_idx=*/true);
  context.driver.SetUsedEvent(3);

  for (int i = 0; i < 8; ++i) EXPECT_EQ(UseOne(context), i == 3);
}

// The note of 2.7.7.2: used_event left at 0.
TEST(UsedBufferNotification, DeviceNotifiesOnceInEach65536IfUsedEventIsLeft) {
  Spec("1.3", "2.7.7.2", Level::kShouldNot);
  DeviceContext context = Device(/*event_idx=*/true);

  for (uint32_t i = 0; i < 2 * 65536 + 10; ++i) {
    ASSERT_EQ(UseOne(context), i % 65536 == 0) << i;
  }
}

// 2.7.8, The Virtqueue Used Ring.

TEST(UsedRing, DeviceSetsLenBeforeItUpdatesIdx) {
  Spec("1.3", "2.7.8.2", Level::kMust);
  DeviceContext context = Device();
  const RawDevice ring(context.heap.memory(), context.addrs, kSize);
  context.Put(3, {{.addr = kBuffers, .len = 16, .flags = kDescWrite}});
  ASSERT_EQ(context.OfferAndPop(3), PopResult::kChain);

  context.device.Push(context.chain, 9);
  EXPECT_EQ(ring.Used(0).id, 3u);
  EXPECT_EQ(ring.Used(0).len, 9u);
  EXPECT_EQ(context.driver.UsedIdx(), 0);
  context.device.Publish();
  EXPECT_EQ(context.driver.UsedIdx(), 1);
}

TEST(UsedRing, DeviceHasWrittenLenBytesFromTheFirstWritableOneOn) {
  Spec("1.3", "2.7.8.2", Level::kMust);
  DeviceContext context = Device();
  context.Put(0, {{.addr = kBuffers, .len = 2, .flags = kDescNext, .next = 1},
                  {.addr = kBuffers + 2,
                   .len = 3,
                   .flags = kDescWrite | kDescNext,
                   .next = 2},
                  {.addr = kBuffers + 5, .len = 3, .flags = kDescWrite}});
  std::memcpy(context.heap.Bytes(kBuffers, 8).data(), "rr......", 8);
  ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);

  const size_t written = context.chain.CopyTo(0, BytesOf("abcd"));
  context.device.Push(context.chain, static_cast<uint32_t>(written));
  context.device.Publish();

  EXPECT_EQ(context.driver.Used().front().len, 4u);
  EXPECT_EQ(Text(context.heap.Bytes(kBuffers, 8)), "rrabcd..");
}

TEST(UsedRing, DeviceCannotClaimMoreThanTheChainHolds) {
  Spec("1.3", "2.7.8.2", Level::kMust);
  DeviceContext context = Device();
  context.Put(0, {{.addr = kBuffers, .len = 16, .flags = kDescWrite}});
  ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);

  EXPECT_DEATH(context.device.Push(context.chain, 17), "check failed");
}

TEST(UsedRing, DeviceMayHaveWrittenMoreThanLen) {
  Spec("1.3", "2.7.8.2", Level::kMay);
  DeviceContext context = Device();
  context.Put(0, {{.addr = kBuffers, .len = 16, .flags = kDescWrite}});
  ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);

  context.chain.CopyTo(0, BytesOf("abcd"));
  context.device.Push(context.chain, 0);
  context.device.Publish();

  EXPECT_EQ(context.driver.Used().front().len, 0u);
}

// The whole buffer is out of reach, so nothing can be assumed of what is in it.
TEST(UsedRing, DriverGoesByLenAndDoesNotLookIntoTheBuffer) {
  Spec("1.3", "2.7.8.3", Level::kMustNot);
  Spec("1.3", "2.7.8.3", Level::kShould);
  const Pages pages;
  DriverQueue driver =
      *DriverQueue::Create(pages.memory(), pages.addrs(), {.size = kSize});
  RawDevice device(pages.memory(), pages.addrs(), kSize);
  pages.Allow(Pages::kWritable, PROT_NONE);
  const DriverQueue::Buffer writable[] = {{Pages::At(Pages::kWritable), 4096}};
  driver.Add({}, writable, /*token=*/7);
  driver.Publish();

  device.Use(device.Head(0), 44);
  const std::optional<DriverQueue::Used> used = driver.Collect();

  ASSERT_TRUE(used.has_value());
  EXPECT_EQ(used->len, 44u);
}

// 2.7.10, Available Buffer Notification Suppression.

TEST(AvailableBufferNotification, DriverInitializesFlagsOfTheUsedRingTo0) {
  Spec("1.3", "2.7.10.1", Level::kMust);
  const HeapMemory heap({{0, 4096}});
  const SplitRingAddrs addrs = LaySplitRing(GuestAddr(0), kSize);
  RawDevice device(heap.memory(), addrs, kSize);
  device.SetUsedFlags(1);

  ASSERT_TRUE(DriverQueue::Create(heap.memory(), addrs, {.size = kSize}).ok());

  EXPECT_EQ(device.UsedFlags(), 0);
}

TEST(AvailableBufferNotification, DriverIgnoresAvailEventWithoutEventIdx) {
  Spec("1.3", "2.7.10.1", Level::kMust);
  for (const uint16_t event : std::vector<uint16_t>{0, 1, 2, 1000, 65535}) {
    DriverContext context = Driver(/*event_idx=*/false);
    context.device.SetAvailEvent(event);

    EXPECT_TRUE(AddOne(context));
    EXPECT_TRUE(AddOne(context));
    context.device.SetUsedFlags(1);
    EXPECT_FALSE(AddOne(context));
  }
}

TEST(AvailableBufferNotification, DriverNotifiesIfFlagsAre0) {
  Spec("1.3", "2.7.10.1", Level::kMust);
  DriverContext context = Driver(/*event_idx=*/false);

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(AddOne(context));
}

TEST(AvailableBufferNotification, DriverDoesNotNotifyIfFlagsAre1) {
  Spec("1.3", "2.7.10.1", Level::kShouldNot);
  DriverContext context = Driver(/*event_idx=*/false);
  context.device.SetUsedFlags(1);

  for (int i = 0; i < 3; ++i) EXPECT_FALSE(AddOne(context));
}

TEST(AvailableBufferNotification, DriverIgnoresTheLowBitOfFlagsWithEventIdx) {
  Spec("1.3", "2.7.10.1", Level::kMust);
  DriverContext context = Driver(/*event_idx=*/true);
  context.device.SetUsedFlags(1);
  context.device.SetAvailEvent(0);

  EXPECT_TRUE(AddOne(context));
}

TEST(AvailableBufferNotification, DriverNotifiesWhenIdxReachesAvailEvent) {
  Spec("1.3", "2.7.10.1", Level::kMust);
  for (uint16_t event = 0; event < 5; ++event) {
    DriverContext context = Driver(/*event_idx=*/true);
    context.device.SetAvailEvent(event);
    for (uint16_t i = 0; i < event; ++i) AddOne(context);

    EXPECT_TRUE(AddOne(context)) << event;
  }
}

TEST(AvailableBufferNotification, DriverDoesNotNotifyWhenIdxIsElsewhere) {
  Spec("1.3", "2.7.10.1", Level::kShouldNot);
  DriverContext context = Driver(/*event_idx=*/true);
  context.device.SetAvailEvent(3);

  for (int i = 0; i < kSize; ++i) EXPECT_EQ(AddOne(context), i == 3);
}

TEST(AvailableBufferNotification, DeviceSetsFlagsTo0Or1WithoutEventIdx) {
  Spec("1.3", "2.7.10.2", Level::kMust);
  DeviceContext context = Device(/*event_idx=*/false);

  EXPECT_EQ(context.driver.UsedFlags(), 0);
  context.device.DisableNotifications();
  EXPECT_EQ(context.driver.UsedFlags(), 1);
  context.device.EnableNotifications();
  EXPECT_EQ(context.driver.UsedFlags(), 0);
}

TEST(AvailableBufferNotification, DeviceKeepsFlagsAt0WithEventIdx) {
  Spec("1.3", "2.7.10.2", Level::kMust);
  DeviceContext context = Device(/*event_idx=*/true);

  context.device.DisableNotifications();
  EXPECT_EQ(context.driver.UsedFlags(), 0);
  context.device.EnableNotifications();
  EXPECT_EQ(context.driver.UsedFlags(), 0);
}

TEST(AvailableBufferNotification, DeviceNamesTheNextEntryInAvailEvent) {
  Spec("1.3", "2.7.10.2", Level::kMay);
  DeviceContext context = Device(/*event_idx=*/true);
  for (uint16_t i = 0; i < 3; ++i) {
    UseOne(context);

    EXPECT_FALSE(context.device.EnableNotifications());

    EXPECT_EQ(context.driver.AvailEvent(), i + 1);
  }
}

TEST(AvailableBufferNotification, DeviceTakesASpuriousOneForNothing) {
  Spec("1.3", "2.7.10.2", Level::kMust);
  DeviceContext context = Device();

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(context.device.Pop(context.chain), PopResult::kEmpty);
  }

  EXPECT_TRUE(UseOne(context));
  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kEmpty);
  EXPECT_TRUE(context.device.status().ok());
}

// 2.7.13, Supplying Buffers to The Device.

TEST(SupplyingBuffers, DriverMayAddManyChainsBeforeItUpdatesIdx) {
  Spec("1.3", "2.7.13", Level::kMay);
  DriverContext context = Driver();

  for (uint64_t i = 0; i < 4; ++i) context.Add({1}, {1}, /*token=*/i);

  EXPECT_EQ(context.device.AvailIdx(), 0);
  context.driver.Publish();
  EXPECT_EQ(context.device.AvailIdx(), 4);
}

// 2.7.14, Receiving Used Buffers From The Device.

TEST(ReceivingUsedBuffers, DriverLooksAgainAfterItEnabledNotifications) {
  Spec("1.3", "2.7.14", Level::kMay);
  for (const bool event_idx : {false, true}) {
    DriverContext context = Driver(event_idx);
    const uint16_t head = context.Send();
    context.driver.DisableNotifications();
    EXPECT_FALSE(context.driver.Collect().has_value());

    context.device.Use(head, 1);  // between emptying and enabling

    EXPECT_TRUE(context.driver.EnableNotifications());
    EXPECT_TRUE(context.driver.Collect().has_value());
    EXPECT_FALSE(context.driver.EnableNotifications());
  }
}

}  // namespace
}  // namespace virtqueue
