#include "vsock/vhost_user/life.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "gtest/gtest.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/ring_memory.h"
#include "virtqueue/split_ring.h"
#include "vsock/features.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"

namespace vsock::vhost_user {
namespace {

using virtqueue::OwnedGuestMemory;
using virtqueue::RingFormat;
using virtqueue::SplitRing;

constexpr uint16_t kSize = 8;

// A device on two split rings, whose words the test writes itself.
class LifeTest : public testing::Test {
 protected:
  void Attach(uint64_t features) {
    DeviceSetup setup = {.features = features};
    for (RingSetup& ring : setup.rings) {
      ring = {
          .size = kSize,
          .addrs = virtqueue::AllocateRing(memory_, RingFormat::kSplit, kSize)};
    }
    ASSERT_TRUE(life_->Attach(memory_.memory(), setup).ok());
    tx_ = *SplitRing::Map(
        memory_.memory(),
        std::get<virtqueue::SplitRingAddrs>(setup.rings[kTxQueue].addrs),
        kSize);
  }

  // As if the device had used 65536 chains of the tx ring by now.
  std::optional<size_t> UseARound() {
    std::optional<size_t> found;
    for (uint32_t used = 0; used <= 65536; used += 32768) {
      tx_.used_idx->Store(static_cast<uint16_t>(used));
      found = life_->FindUnwrittenUsedEvent();
    }
    return found;
  }

  OwnedGuestMemory memory_ = *OwnedGuestMemory::Create(1 << 16);
  std::unique_ptr<Life> life_ = *Life::Create(
      {.guest_cid = Cid(3), .payload_bytes = 1 << 20}, Features(0));
  SplitRing tx_;
};

TEST_F(LifeTest, DriverThatNeverWroteUsedEventIsFoundOnce) {
  Attach(kVersion1 | kEventIdx);

  EXPECT_EQ(UseARound(), kTxQueue);
  EXPECT_EQ(UseARound(), std::nullopt);
}

TEST_F(LifeTest, DriverThatWroteUsedEventIsNot) {
  Attach(kVersion1 | kEventIdx);
  tx_.used_event->Store(1);

  EXPECT_EQ(UseARound(), std::nullopt);
}

TEST_F(LifeTest, DriverWithoutTheEventIndexNeedNotWriteIt) {
  Attach(kVersion1);

  EXPECT_EQ(UseARound(), std::nullopt);
}

}  // namespace
}  // namespace vsock::vhost_user
