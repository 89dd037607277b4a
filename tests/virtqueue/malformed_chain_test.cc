// Fault D2 of the field: a malformed chain at the head of the queue is parsed
// for ever, or reaches outside of memory. Here each kind breaks the queue for
// good.

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/broken.h"
#include "tests/virtqueue/device_context.h"
#include "virtqueue/driver_queue.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

constexpr uint16_t kSize = 8;

struct Malformed {
  std::string name;
  std::string fault;
  std::function<void(DeviceContext&)> write;  // a chain that begins at 0
  bool indirect = true;

  friend std::ostream& operator<<(std::ostream& out, const Malformed& chain) {
    return out << chain.name;
  }
};

constexpr uint64_t kTable = kBuffers + 0x800;

// `entries` as a table, to which descriptor 0 refers.
void PutTable(DeviceContext& context, const std::vector<Descriptor>& entries) {
  context.driver.WriteTable(GuestAddr(kTable), entries);
  const auto bytes = static_cast<uint32_t>(entries.size() * 16);
  context.Put(0, {{.addr = kTable, .len = bytes, .flags = kDescIndirect}});
}

std::vector<Malformed> MalformedChains() {
  const Descriptor one = {.addr = kBuffers, .len = 1};
  const Descriptor linked = {
      .addr = kBuffers, .len = 1, .flags = kDescNext, .next = 1};
  const uint32_t all_bits = std::numeric_limits<uint32_t>::max();
  return {
      {"DescriptorLinkedToItself",
       "2.7.5.3.1: chain is longer than the queue size",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kBuffers, .len = 1, .flags = kDescNext}});
       }},
      {"LoopOfTwo", "2.7.5.3.1: chain is longer than the queue size",
       [=](DeviceContext& c) {
         c.Put(0, {linked, {.addr = kBuffers, .len = 1, .flags = kDescNext}});
       }},
      {"LoopOfNoBytes", "2.7.5.3.1: chain is longer than the queue size",
       [=](DeviceContext& c) { c.Put(0, {{.flags = kDescNext}}); }},
      {"LoopWithinATable", "2.7.5.3.1: chain is longer than the queue size",
       [=](DeviceContext& c) {
         PutTable(c,
                  {linked, {.addr = kBuffers, .len = 1, .flags = kDescNext}});
       }},
      {"NextIsTheQueueSize", "2.7.5: next is no descriptor of the table",
       [=](DeviceContext& c) {
         c.Put(
             0,
             {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = kSize}});
       }},
      {"NextIs65535", "2.7.5: next is no descriptor of the table",
       [=](DeviceContext& c) {
         c.Put(
             0,
             {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 65535}});
       }},
      {"NextBeyondTheTable",
       "2.7.5.3: next is no descriptor of the indirect table",
       [=](DeviceContext& c) {
         PutTable(
             c, {linked,
                 {.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 2}});
       }},
      {"BufferOutsideOfMemory", "2.7.5: buffer is outside of memory",
       [=](DeviceContext& c) { c.Put(0, {{.addr = 1 << 30, .len = 1}}); }},
      {"BufferOneByteTooLong", "2.7.5: buffer is outside of memory",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kBuffersEnd - 3, .len = 4}});
       }},
      {"BufferOf4GiBLessOne", "2.7.5: buffer is outside of memory",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kBuffers, .len = all_bits}});
       }},
      {"BufferAtTheLastAddress", "2.7.5: buffer is outside of memory",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = ~uint64_t{0}, .len = all_bits}});
       }},
      {"BufferOfATableOutsideOfMemory", "2.7.5: buffer is outside of memory",
       [=](DeviceContext& c) { PutTable(c, {{.addr = 1 << 30, .len = 1}}); }},
      {"ReadableAfterWritable",
       "2.7.4.2: readable descriptor after a writable one",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kBuffers,
                    .len = 1,
                    .flags = kDescNext | kDescWrite,
                    .next = 1},
                   one});
       }},
      {"ReadableAfterWritableOfNoBytes",
       "2.7.4.2: readable descriptor after a writable one",
       [=](DeviceContext& c) {
         c.Put(0, {{.flags = kDescNext | kDescWrite, .next = 1}, one});
       }},
      {"ReadableInTableAfterWritable",
       "2.7.4.2: readable descriptor after a writable one",
       [=](DeviceContext& c) {
         PutTable(c, {one});
         c.Put(1, {{.addr = kTable, .len = 16, .flags = kDescIndirect}});
         c.Put(0, {{.addr = kBuffers,
                    .len = 1,
                    .flags = kDescNext | kDescWrite,
                    .next = 1}});
       }},
      {"TableWithinATable", "2.7.5.3.1: INDIRECT within an indirect table",
       [=](DeviceContext& c) {
         PutTable(c, {{.addr = kTable, .len = 16, .flags = kDescIndirect}});
       }},
      {"TableTogetherWithNext", "2.7.5.3.1: INDIRECT together with NEXT",
       [=](DeviceContext& c) {
         PutTable(c, {one});
         c.Put(0, {{.addr = kTable,
                    .len = 16,
                    .flags = kDescIndirect | kDescNext,
                    .next = 1},
                   one});
       }},
      {"TableOfNoBytes", "2.7.5.3: indirect table is not of whole descriptors",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kTable, .len = 0, .flags = kDescIndirect}});
       }},
      {"TableOf15Bytes", "2.7.5.3: indirect table is not of whole descriptors",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kTable, .len = 15, .flags = kDescIndirect}});
       }},
      {"TableOf17Bytes", "2.7.5.3: indirect table is not of whole descriptors",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kTable, .len = 17, .flags = kDescIndirect}});
       }},
      {"TableOutsideOfMemory",
       "2.7.5.3: indirect table is not in one region of memory",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = 1 << 30, .len = 16, .flags = kDescIndirect}});
       }},
      {"TableThatLeavesMemory",
       "2.7.5.3: indirect table is not in one region of memory",
       [=](DeviceContext& c) {
         c.Put(0,
               {{.addr = kBuffersEnd - 16, .len = 32, .flags = kDescIndirect}});
       }},
      {"TableOf4GiBLess16",
       "2.7.5.3: indirect table is not in one region of memory",
       [=](DeviceContext& c) {
         c.Put(0,
               {{.addr = kTable, .len = 0xfffffff0, .flags = kDescIndirect}});
       }},
      {"TableThatStraddlesRegions",
       "2.7.5.3: indirect table is not in one region of memory",
       [=](DeviceContext& c) {
         c.Put(0, {{.addr = kMiddle - 16, .len = 32, .flags = kDescIndirect}});
       }},
      {"TableThatWasNotNegotiated", "2.7.5.3.1: INDIRECT was not negotiated",
       [=](DeviceContext& c) { PutTable(c, {one}); }, /*indirect=*/false},
  };
}

class MalformedChainTest : public testing::TestWithParam<Malformed> {
 protected:
  DeviceContext context_{{.size = kSize, .indirect = GetParam().indirect}};
};

TEST_P(MalformedChainTest, BreaksTheQueueForGood) {
  GetParam().write(context_);

  EXPECT_EQ(context_.OfferAndPop(0), PopResult::kBroken);

  ExpectBrokenForGood(context_, GetParam().fault);
}

TEST_P(MalformedChainTest, LeavesOtherQueuesAndANewOneAlone) {
  DeviceContext other({.size = kSize});
  GetParam().write(context_);
  context_.OfferAndPop(0);
  other.Put(0, {{.addr = kBuffers, .len = 1}});
  EXPECT_EQ(other.OfferAndPop(0), PopResult::kChain);

  ASSERT_TRUE(DriverQueue::Create(context_.heap.memory(), context_.addrs,
                                  {.size = kSize})
                  .ok());
  DeviceQueue again = *DeviceQueue::Create(context_.heap.memory(),
                                           context_.addrs, {.size = kSize});
  context_.Put(0, {{.addr = kBuffers, .len = 1}});
  context_.driver.Offer(0);

  EXPECT_EQ(again.Pop(context_.chain), PopResult::kChain);
}

INSTANTIATE_TEST_SUITE_P(D2, MalformedChainTest,
                         testing::ValuesIn(MalformedChains()),
                         [](const auto& test) { return test.param.name; });

TEST(MalformedHeadTest, BreaksTheQueueIfItIsNoDescriptor) {
  for (const uint32_t head : {uint32_t{kSize}, uint32_t{65535}}) {
    DeviceContext context({.size = kSize});

    EXPECT_EQ(context.OfferAndPop(static_cast<uint16_t>(head)),
              PopResult::kBroken);

    ExpectBrokenForGood(context, "2.7.6: head is no descriptor of the table");
  }
}

TEST(MalformedHeadTest, DoesNotUndoWhatCameBeforeIt) {
  DeviceContext context({.size = kSize});
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  context.driver.Offer(0);
  context.driver.Offer(kSize);
  Chain good;

  ASSERT_EQ(context.device.Pop(good), PopResult::kChain);
  context.device.Push(good, 0);
  EXPECT_TRUE(context.device.Publish());
  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);

  EXPECT_EQ(context.driver.UsedIdx(), 1);
}

TEST(MalformedChainTest, IsJudgedAnewWhenItWasPutBack) {
  DeviceContext context({.size = kSize});
  context.Put(0, {{.addr = kBuffers, .len = 1}});
  ASSERT_EQ(context.OfferAndPop(0), PopResult::kChain);
  context.device.UnPop(context.chain);

  context.Put(0, {{.addr = 1 << 30, .len = 1}});

  EXPECT_EQ(context.device.Pop(context.chain), PopResult::kBroken);
  EXPECT_EQ(context.device.in_flight(), 0u);
  ExpectBrokenForGood(context, "2.7.5: buffer is outside of memory");
}

// So many bytes are the same few many times: 4 MiB in 1024 descriptors.
TEST(MalformedChainTest, BreaksTheQueueIfItIsOfMoreThan4GiB) {
  constexpr uint32_t kBlock = 4 << 20;
  constexpr uint16_t kBig = 2048;
  const HeapMemory heap({{0, SplitRingBytes(kBig)}, {kBuffers, kBlock}});
  const SplitRingAddrs addrs = LaySplitRing(GuestAddr(0), kBig);
  RawDriver driver(heap.memory(), addrs, kBig);
  DeviceQueue device =
      *DeviceQueue::Create(heap.memory(), addrs, {.size = kBig});
  std::vector<Descriptor> descs = DeviceContext::Linked(1025);
  for (Descriptor& desc : descs) desc.len = kBlock;
  descs[0].len = 1;
  for (uint16_t i = 0; i < 1025; ++i) driver.SetDescriptor(i, descs[i]);
  Chain chain;

  driver.Offer(1);  // without the first: 2^32
  ASSERT_EQ(device.Pop(chain), PopResult::kChain);
  EXPECT_EQ(chain.readable_bytes(), uint64_t{1} << 32);
  device.Push(chain, 0);
  driver.Offer(0);

  EXPECT_EQ(device.Pop(chain), PopResult::kBroken);
  EXPECT_EQ(device.status().message(),
            "2.7.5.2: chain is of more than 2^32 bytes");
}

}  // namespace
}  // namespace virtqueue
