// Tries virtqueue/chain.h: the bytes of a chain, wherever its spans end.

#include "virtqueue/chain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/device_context.h"

namespace virtqueue {
namespace {

class ChainTest : public testing::Test, public DeviceContext {
 protected:
  ChainTest() : DeviceContext({.size = 8}) {}

  // Pops a chain of readable spans, then writable ones, of these lengths, one
  // after the other from kBuffers on.
  Chain PopOf(const std::vector<uint32_t>& readable,
              const std::vector<uint32_t>& writable) {
    std::vector<uint32_t> lens = readable;
    lens.insert(lens.end(), writable.begin(), writable.end());
    std::vector<Descriptor> descs = Linked(static_cast<uint32_t>(lens.size()));
    uint64_t at = kBuffers;
    for (size_t i = 0; i < lens.size(); ++i) {
      descs[i].addr = at;
      descs[i].len = lens[i];
      if (i >= readable.size()) descs[i].flags |= kDescWrite;
      at += lens[i];
    }
    Put(0, descs);
    EXPECT_EQ(OfferAndPop(0), PopResult::kChain);
    return std::move(chain);
  }

  void Complete(Chain& done) {
    device.Push(done, 0);
    device.Publish();
  }

  std::string Data(uint32_t len) const {
    const absl::Span<std::byte> bytes = heap.Bytes(kBuffers, len);
    return std::string(reinterpret_cast<const char*>(bytes.data()), len);
  }

  void SetData(const std::string& text) const {
    const absl::Span<std::byte> bytes =
        heap.Bytes(kBuffers, static_cast<uint32_t>(text.size()));
    for (size_t i = 0; i < text.size(); ++i) bytes[i] = std::byte(text[i]);
  }
};

std::string Gather(const Chain& chain, uint64_t offset, size_t room) {
  std::string text(room, '?');
  const size_t copied = chain.CopyFrom(
      offset, absl::MakeSpan(reinterpret_cast<std::byte*>(text.data()), room));
  text.resize(copied);
  return text;
}

size_t Scatter(Chain& chain, uint64_t offset, const std::string& text) {
  return chain.CopyTo(
      offset,
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(text.data()),
                          text.size()));
}

TEST_F(ChainTest, GathersAcrossSpansFromAnyOffset) {
  SetData("abcdefgh");
  const Chain popped = PopOf({3, 1, 4}, {});

  for (size_t offset = 0; offset <= 8; ++offset) {
    for (size_t room = 0; room <= 10; ++room) {
      EXPECT_EQ(Gather(popped, offset, room),
                std::string("abcdefgh").substr(offset, room));
    }
  }
  EXPECT_EQ(Gather(popped, 9, 4), "");
}

TEST_F(ChainTest, ScattersAcrossSpansAtAnyOffset) {
  for (size_t offset = 0; offset <= 8; ++offset) {
    SetData("........");
    Chain popped = PopOf({}, {3, 1, 4});

    EXPECT_EQ(Scatter(popped, offset, "xyz"), std::min<size_t>(3, 8 - offset));

    const std::string whole = std::string(offset, '.') + "xyz........";
    EXPECT_EQ(Data(8), whole.substr(0, 8));
    Complete(popped);
  }
}

TEST_F(ChainTest, ScatterBeginsAtTheFirstWritableByte) {
  SetData("abcd....");
  Chain popped = PopOf({4}, {2, 2});

  EXPECT_EQ(Scatter(popped, 0, "12345"), 4u);

  EXPECT_EQ(Data(8), "abcd1234");
}

TEST_F(ChainTest, CountsItsBytesAndDescriptors) {
  const Chain popped = PopOf({3, 1}, {4, 5, 6});

  EXPECT_EQ(popped.readable_bytes(), 4u);
  EXPECT_EQ(popped.writable_bytes(), 15u);
  EXPECT_EQ(popped.readable().size(), 2u);
  EXPECT_EQ(popped.writable().size(), 3u);
  EXPECT_EQ(popped.descriptors(), 5u);
}

TEST_F(ChainTest, IsCompletedWhereItWasMovedTo) {
  Chain popped = PopOf({3, 1}, {4});

  Chain other(std::move(popped));

  EXPECT_FALSE(popped.pending());
  EXPECT_TRUE(other.pending());
  EXPECT_EQ(other.readable_bytes(), 4u);
  device.Push(other, 0);
  EXPECT_EQ(device.in_flight(), 0u);
}

TEST_F(ChainTest, IsWhatItWasWhereItWasMovedToItself) {
  Chain popped = PopOf({3, 1}, {4});
  Chain& same = popped;

  popped = std::move(same);

  EXPECT_TRUE(popped.pending());
  EXPECT_EQ(popped.readable_bytes(), 4u);
  EXPECT_EQ(popped.writable_bytes(), 4u);
}

TEST_F(ChainTest, HoldsNothingOfTheChainBefore) {
  chain = PopOf({3, 1, 2}, {4, 4});
  Complete(chain);

  Put(0, {{.addr = kBuffers, .len = 7}});
  ASSERT_EQ(OfferAndPop(0), PopResult::kChain);

  EXPECT_EQ(chain.readable_bytes(), 7u);
  EXPECT_EQ(chain.writable_bytes(), 0u);
  EXPECT_EQ(chain.descriptors(), 1u);
}

TEST_F(ChainTest, HoldsNothingOnceItIsCompleted) {
  for (const auto& writable : {std::vector<uint32_t>{}, {4, 4}}) {
    chain = PopOf({3}, writable);

    Complete(chain);

    EXPECT_TRUE(chain.readable().empty());
    EXPECT_TRUE(chain.writable().empty());
    EXPECT_EQ(chain.descriptors(), 0u);
  }
}

}  // namespace
}  // namespace virtqueue
