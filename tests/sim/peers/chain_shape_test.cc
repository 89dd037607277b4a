#include "sim/peers/chain_shape.h"

#include "gtest/gtest.h"
#include "sim/platform.pb.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Nanos;

// A descriptor 100 ns, a packet of the worker 20,000, a byte of it 1, a byte
// within the program 2.
Platform RoundCosts() {
  Platform platform;
  platform.mutable_ring_descriptor()->set_mode(100);
  platform.mutable_worker_packet()->set_mode(20000);
  platform.mutable_worker_copy()->set_mode(1000);
  platform.mutable_worker_copy()->set_unit(Cost::PICOSECONDS_PER_BYTE);
  platform.mutable_user_copy()->set_mode(2000);
  return platform;
}

TEST(ChainShapeTest, DriverWritesEachDescriptorAndCollectsOne) {
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 1}).driver, Nanos(200));
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 2}).driver, Nanos(300));
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 17}).driver, Nanos(1800));
}

TEST(ChainShapeTest, TableTakesOneDescriptorMore) {
  EXPECT_EQ(
      PriceChain(RoundCosts(), {.descriptors = 4, .indirect = true}).driver,
      Nanos(600));
}

TEST(ChainShapeTest, JoiningCopiesThePayloadOnce) {
  const ChainCost joined = PriceChain(
      RoundCosts(), {.descriptors = 1, .joined = true, .payload_bytes = 4096});

  EXPECT_EQ(joined.driver, Nanos(200 + 8192));
  EXPECT_EQ(joined.device, Nanos(20000 + 44 + 4096));
}

TEST(ChainShapeTest, WorkerPaysForDescriptorsBeyondTheTwoItWasMeasuredWith) {
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 1}).device, Nanos(20044));
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 2}).device, Nanos(20044));
  EXPECT_EQ(PriceChain(RoundCosts(), {.descriptors = 17}).device,
            Nanos(20044 + 1500));
}

}  // namespace
}  // namespace sim
