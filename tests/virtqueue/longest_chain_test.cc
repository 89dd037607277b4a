// Fault D5 of the field: off by one in the longest chain. Up to the queue size
// it is accepted, direct, indirect and mixed; beyond it is not.

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"
#include "tests/virtqueue/driver_context.h"

namespace virtqueue {
namespace {

using PopResult = DeviceQueue::PopResult;

using AddResult = DriverQueue::AddResult;

constexpr uint64_t kTable = kBuffers + 0x800;

// `entries` as a table, to which descriptor 0 refers.
void PutTable(DeviceContext& context, const std::vector<Descriptor>& entries) {
  context.driver.WriteTable(GuestAddr(kTable), entries);
  const auto bytes = static_cast<uint32_t>(entries.size() * 16);
  context.Put(0, {{.addr = kTable, .len = bytes, .flags = kDescIndirect}});
}

class LongestChainTest : public testing::TestWithParam<uint32_t> {
 protected:
  const uint16_t size_ = static_cast<uint16_t>(GetParam());
  DeviceContext context_{{.size = size_, .indirect = true}};

  PopResult PopDirect(uint32_t length) {
    std::vector<Descriptor> descs = DeviceContext::Linked(length);
    if (length > size_) {  // the table ends here, so the chain must go back
      descs.resize(size_);
      descs.back().next = 0;
    }
    context_.Put(0, descs);
    return context_.OfferAndPop(0);
  }

  PopResult PopIndirect(uint32_t length) {
    PutTable(context_, DeviceContext::Linked(length));
    return context_.OfferAndPop(0);
  }

  // One ordinary descriptor, then a table of the rest.
  PopResult PopMixed(uint32_t length) {
    PutTable(context_, DeviceContext::Linked(length - 1));
    context_.Put(
        1,
        {{.addr = kTable, .len = 16 * (length - 1), .flags = kDescIndirect}});
    context_.Put(0,
                 {{.addr = kBuffers, .len = 1, .flags = kDescNext, .next = 1}});
    return context_.OfferAndPop(0);
  }
};

TEST_P(LongestChainTest, IsAcceptedUpToTheQueueSize) {
  for (const uint32_t length : {GetParam() - 1, GetParam()}) {
    ASSERT_EQ(PopDirect(length), PopResult::kChain);
    EXPECT_EQ(context_.chain.readable_bytes(), length);
    context_.device.Push(context_.chain, 0);
    context_.device.Publish();
    ASSERT_EQ(PopIndirect(length), PopResult::kChain);
    EXPECT_EQ(context_.chain.descriptors(), length);
    context_.device.Push(context_.chain, 0);
    context_.device.Publish();
  }
}

TEST_P(LongestChainTest, IsAcceptedIfATableHoldsTheEndOfIt) {
  ASSERT_EQ(PopMixed(GetParam()), PopResult::kChain);

  EXPECT_EQ(context_.chain.readable_bytes(), GetParam());
}

TEST_P(LongestChainTest, IsRefusedBeyondTheQueueSizeDirect) {
  EXPECT_EQ(PopDirect(GetParam() + 1), PopResult::kBroken);
}

TEST_P(LongestChainTest, IsRefusedBeyondTheQueueSizeIndirect) {
  EXPECT_EQ(PopIndirect(GetParam() + 1), PopResult::kBroken);
}

TEST_P(LongestChainTest, IsRefusedBeyondTheQueueSizeMixed) {
  EXPECT_EQ(PopMixed(GetParam() + 1), PopResult::kBroken);
}

TEST_P(LongestChainTest, IsWhatTheDriverAddsAtMost) {
  DriverContext driver({.size = size_});
  DriverContext tables(
      {.size = size_,
       .indirect = true,
       .indirect_table_entries = static_cast<uint16_t>(size_ + 1)});
  const std::vector<uint32_t> longest(size_, 1);
  const std::vector<uint32_t> longer(size_ + 1, 1);

  EXPECT_EQ(driver.Add(longer, {}), AddResult::kRefused);
  EXPECT_EQ(tables.Add(longer, {}), AddResult::kRefused);
  EXPECT_EQ(driver.Add(longest, {}), AddResult::kAdded);
  EXPECT_EQ(tables.Add(longest, {}), AddResult::kAdded);
}

INSTANTIATE_TEST_SUITE_P(D5, LongestChainTest, testing::Values(2, 4, 8, 128),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace virtqueue
