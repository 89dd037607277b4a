// Tries virtqueue/indirect_table.h.

#include "virtqueue/indirect_table.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/split_ring.h"

namespace virtqueue {
namespace {

uint64_t Number(absl::Span<const std::byte> bytes) {  // little-endian
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  }
  return value;
}

class IndirectTableTest : public testing::TestWithParam<size_t> {
 protected:
  IndirectTableTest() {
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = std::byte(i * 5 + 1);
  }

  // Two entries, as far from a multiple of 16 as the parameter says.
  absl::Span<const std::byte> Table() const {
    return absl::MakeConstSpan(bytes_).subspan(GetParam(), 32);
  }

 private:
  alignas(16) std::array<std::byte, 16 * 3> bytes_;
};

TEST_P(IndirectTableTest, ReadsAnEntryOfASplitRingAtWhateverAddress) {
  const Descriptor desc = IndirectTable<SharedDescriptor>(Table()).Load(1);

  EXPECT_EQ(desc.addr, Number(Table().subspan(16, 8)));
  EXPECT_EQ(desc.len, Number(Table().subspan(24, 4)));
  EXPECT_EQ(desc.flags, Number(Table().subspan(28, 2)));
  EXPECT_EQ(desc.next, Number(Table().subspan(30, 2)));
}

TEST_P(IndirectTableTest, ReadsAnEntryOfAPackedRingAtWhateverAddress) {
  const PackedDescriptor desc =
      IndirectTable<SharedPackedDescriptor>(Table()).Load(1);

  EXPECT_EQ(desc.addr, Number(Table().subspan(16, 8)));
  EXPECT_EQ(desc.tail.len, Number(Table().subspan(24, 4)));
  EXPECT_EQ(desc.tail.id, Number(Table().subspan(28, 2)));
  EXPECT_EQ(desc.tail.flags, Number(Table().subspan(30, 2)));
}

INSTANTIATE_TEST_SUITE_P(Shifts, IndirectTableTest,
                         testing::Range<size_t>(0, 16));

}  // namespace
}  // namespace virtqueue
