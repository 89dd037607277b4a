#include "bench/unix_costs.h"

#include "gtest/gtest.h"

namespace bench {
namespace {

// Phases of a machine on which a call takes 500 ns, an allocation 400, taking a
// socket buffer 300, a run of pages 200, a byte 0.1 in and 0.05 out.
UnixPhaseSet KnownMachine() {
  const auto paged_write = [](double bytes) {
    return 500 + 400 + 200 + bytes * 0.1;
  };
  const auto paged_read = [](double bytes) { return 500 + 300 + bytes * 0.05; };
  return {.write_byte = 500 + 400,
          .read_byte = 500 + 300,
          .read_byte_of_200 = 500.0 / 200 + 300,
          .write_4096 = paged_write(4096),
          .read_4096 = paged_read(4096),
          .write_32768 = paged_write(32768),
          .read_32768 = paged_read(32768)};
}

TEST(UnixCostsTest, TakesPhasesApartIntoTheirCosts) {
  UnixCosts costs;

  AddCosts(KnownMachine(), costs);

  EXPECT_NEAR(costs.call[0], 500, 1e-6);
  EXPECT_NEAR(costs.allocation[0], 400, 1e-6);
  EXPECT_NEAR(costs.receive[0], 300, 1e-6);
  EXPECT_NEAR(costs.pages[0], 200, 1e-6);
  EXPECT_NEAR(costs.copy_in[0], 100, 1e-6);  // picoseconds
  EXPECT_NEAR(costs.copy_out[0], 50, 1e-6);
}

TEST(UnixCostsTest, AddsOneValueForEachRepetition) {
  UnixCosts costs;

  AddCosts(KnownMachine(), costs);
  AddCosts(KnownMachine(), costs);

  EXPECT_EQ(costs.call.size(), 2u);
  EXPECT_EQ(costs.copy_out.size(), 2u);
}

TEST(UnixCostsTest, NoiseMakesNoCostNegative) {
  UnixPhaseSet phases = KnownMachine();
  phases.write_32768 = phases.write_4096 - 1;
  UnixCosts costs;

  AddCosts(phases, costs);

  EXPECT_EQ(costs.copy_in[0], 0);
}

}  // namespace
}  // namespace bench
