#include "sim/cost_model.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/files.h"
#include "sim/platform.pb.h"
#include "sim/platform_loader.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {
namespace {

using vsock::Nanos;
using vsock::Work;

// Costs that no two columns share, so that each shows in the sum.
Platform DistinctCosts() {
  Platform platform;
  platform.mutable_syscall()->set_mode(1);
  platform.mutable_packet_allocation()->set_mode(10);
  platform.mutable_copy()->set_mode(500);
  platform.mutable_copy()->set_unit(Cost::PICOSECONDS_PER_BYTE);
  platform.mutable_ring_descriptor()->set_mode(100);
  platform.mutable_kick()->set_mode(1000);
  platform.mutable_guest_packet()->set_mode(10000);
  platform.mutable_worker_packet()->set_mode(20000);
  platform.mutable_worker_delivery()->set_mode(30000000);
  platform.mutable_worker_copy()->set_mode(1500);
  platform.mutable_worker_copy()->set_unit(Cost::PICOSECONDS_PER_BYTE);
  platform.mutable_interrupt_injection()->set_mode(100000);
  platform.mutable_task_wakeup()->set_mode(1000000);
  platform.mutable_worker_wakeup()->set_mode(2);
  platform.mutable_guest_interrupt()->set_mode(3);
  platform.mutable_task_latency()->set_mode(4);
  platform.mutable_context_switch()->set_mode(5);
  platform.mutable_unix_receive()->set_mode(200);
  platform.mutable_unix_pages()->set_mode(400);
  platform.mutable_unix_copy_out()->set_mode(750);
  platform.mutable_unix_copy_out()->set_unit(Cost::PICOSECONDS_PER_BYTE);
  return platform;
}

Work OneOfEach() {
  return {.bytes_copied = 4,
          .packets = 1,
          .descriptors = 1,
          .kicks = 1,
          .kicks_suppressed = 1,
          .interrupts = 1,
          .interrupts_suppressed = 1,
          .wakeups = 1,
          .allocations = 1,
          .syscalls = 1};
}

Platform LinuxKvm() {
  return *ReadPlatform(*DataPath("sim/platforms/linux_kvm.textproto"));
}

TEST(CostModelTest, EachStepPaysForItsOwnColumns) {
  const CostModel costs(DistinctCosts());

  EXPECT_EQ(costs.Price(Step::kApplicationCall, OneOfEach()),
            Nanos(1001113));  // wakeup, kick, descriptor, allocation, call, 2
  EXPECT_EQ(costs.Price(Step::kGuestWorker, OneOfEach()), Nanos(1011112));
  EXPECT_EQ(costs.Price(Step::kVhostWorker, OneOfEach()), Nanos(30120006));
  EXPECT_EQ(costs.Price(Step::kUnixWrite, OneOfEach()),
            Nanos(1000413));  // wakeup, pages, allocation, call, 2
  EXPECT_EQ(costs.Price(Step::kUnixRead, OneOfEach()),
            Nanos(1000204));  // wakeup, socket buffer, call, 3
}

TEST(CostModelTest, NothingDoneCostsNothing) {
  const CostModel costs(DistinctCosts());

  EXPECT_EQ(costs.Price(Step::kApplicationCall, Work()), Nanos(0));
  EXPECT_EQ(costs.Price(Step::kVhostWorker, Work{.kicks_suppressed = 7}),
            Nanos(0));
}

TEST(CostModelTest, PriceOfTwoStepsIsTheirSum) {
  const CostModel costs(LinuxKvm());
  const Work one{.bytes_copied = 4140, .packets = 1};
  Work two = one;
  two += one;

  EXPECT_EQ(costs.Price(Step::kVhostWorker, two),
            costs.Price(Step::kVhostWorker, one) * 2);
}

TEST(CostModelTest, ScalesByTheFactorItIsGiven) {
  const CostModel costs(DistinctCosts());

  EXPECT_EQ(costs.Price(Step::kVhostWorker, Work{.packets = 1}, 1100),
            Nanos(22000));
  EXPECT_EQ(costs.Length(Delay::kContextSwitch, 500), Nanos(2));
}

TEST(CostModelTest, KnowsEachDelay) {
  const CostModel costs(DistinctCosts());

  EXPECT_EQ(costs.Length(Delay::kWorkerWakeup), Nanos(2));
  EXPECT_EQ(costs.Length(Delay::kGuestInterrupt), Nanos(3));
  EXPECT_EQ(costs.Length(Delay::kTaskLatency), Nanos(4));
  EXPECT_EQ(costs.Length(Delay::kContextSwitch), Nanos(5));
}

// Garzarella, 30 Jul 2019, Gbit/s, by the size of the packets: to the host 10.8
// with 4 KiB and 35.3 with 64 KiB, to the guest 24 with 4 KiB. That is 3.03,
// 14.85 and 1.37 us for each packet.
TEST(CostModelTest, WorkerMeetsTheFiguresItIsDerivedFrom) {
  const CostModel costs(LinuxKvm());
  const auto us = [&costs](uint64_t bytes, uint32_t built) {
    return static_cast<double>(
               costs
                   .Price(Step::kVhostWorker, {.bytes_copied = bytes,
                                               .packets = 1,
                                               .allocations = built})
                   .value()) /
           1000;
  };

  EXPECT_NEAR(us(4096, 1), 3.03, 0.02);
  EXPECT_NEAR(us(65536, 1), 14.85, 0.1);
  EXPECT_NEAR(us(4096, 0), 1.37, 0.02);
}

// The ranges that the sources give, in nanoseconds.
TEST(PlatformTest, LinuxKvmKeepsToItsSources) {
  const Platform platform = LinuxKvm();

  EXPECT_EQ(platform.kick().low(), 1000u);
  EXPECT_EQ(platform.kick().high(), 3000u);
  EXPECT_EQ(platform.worker_wakeup().low(), 3000u);
  EXPECT_EQ(platform.worker_wakeup().high(), 10000u);
  EXPECT_EQ(platform.syscall().low(), 300u);
  EXPECT_EQ(platform.syscall().high(), 600u);
  EXPECT_EQ(platform.interrupt_injection().low(), 500u);
  EXPECT_EQ(platform.copy().low(), 50u);
  EXPECT_EQ(platform.copy().high(), 120u);
}

}  // namespace
}  // namespace sim
