// Tries virtqueue/driver_state.h: states that are and that are none. That a run
// goes on from a state: save_restore_test.cc.

#include "virtqueue/driver_state.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/driver_notification.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 8;

// A chain of one descriptor and one of three with the device, one of two that
// was not published; 65535 goes on with 0.
DriverState SplitState() {
  return {.format = RingFormat::kSplit,
          .size = kSize,
          .published = 1,
          .next_used = 65535,
          .unpublished = 1,
          .in_flight = {{.token = 10, .id = 5},
                        {.token = 11, .id = 2, .slots = 3, .linked = {7, 0}},
                        {.token = 12, .id = 1, .slots = 2, .linked = {3}}},
          .free = {6, 4}};
}

// The same on a packed ring, from slot 5 on.
DriverState PackedState() {
  return {.format = RingFormat::kPacked,
          .size = kSize,
          .published = 1,  // the other lap
          .next_used = 0x8000 | 5,
          .unpublished = 1,
          .held = PackedTail{.len = 4, .id = 1, .flags = 0x8001},
          .in_flight = {{.token = 10, .id = 5},
                        {.token = 11, .id = 2, .slots = 3},
                        {.token = 12, .id = 1, .slots = 2}},
          .free = {6, 4, 0, 7, 3}};
}

class DriverStateTest : public testing::Test {
 protected:
  absl::StatusOr<DriverQueue> Restore(const DriverState& state) {
    return DriverQueue::Restore(heap_.memory(),
                                LayRing(state.format, GuestAddr(0), kSize),
                                {.size = kSize}, state);
  }

  HeapMemory heap_{{{0, 512}}};
};

TEST_F(DriverStateTest, GoesOnWhereASplitRingWas) {
  auto driver = Restore(SplitState());
  ASSERT_TRUE(driver.ok()) << driver.status();

  EXPECT_EQ(driver->in_flight(), 3u);
  EXPECT_EQ(driver->free_descriptors(), 2u);
  driver->Publish();
  EXPECT_EQ(driver->next_available(), (NextAvailable{.off = 2}));
  EXPECT_EQ(driver->Save().unpublished, 0);
}

TEST_F(DriverStateTest, GoesOnWhereAPackedRingWas) {
  auto driver = Restore(PackedState());
  ASSERT_TRUE(driver.ok()) << driver.status();

  EXPECT_EQ(driver->in_flight(), 3u);
  EXPECT_EQ(driver->free_descriptors(), 2u);
  driver->Publish();
  EXPECT_EQ(driver->next_available(), (NextAvailable{.off = 3}));
  EXPECT_EQ(driver->Save().unpublished, 0);
}

struct Tear {
  std::string name;
  std::function<void(DriverState&)> apply;

  friend std::ostream& operator<<(std::ostream& out, const Tear& tear) {
    return out << tear.name;
  }
};

class SplitStateTest : public DriverStateTest,
                       public testing::WithParamInterface<Tear> {};

TEST_P(SplitStateTest, IsRefusedIfNoHalfCanBeInIt) {
  DriverState state = SplitState();

  GetParam().apply(state);

  EXPECT_EQ(Restore(state).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Tears, SplitStateTest,
    testing::Values(
        Tear{"Size", [](auto& state) { state.size = 16; }},
        Tear{"MorePublished", [](auto& state) { state.published = 2; }},
        Tear{"MoreCollected", [](auto& state) { state.next_used = 0; }},
        Tear{"MoreUnpublished", [](auto& state) { state.unpublished = 4; }},
        Tear{"Held", [](auto& state) { state.held = PackedTail{}; }},
        Tear{"NoSlots", [](auto& state) { state.in_flight[0].slots = 0; }},
        Tear{"Slots", [](auto& state) { state.in_flight[0].slots = 2; }},
        Tear{"Head", [](auto& state) { state.in_flight[0].id = 8; }},
        Tear{"HeadTwice", [](auto& state) { state.in_flight[0].id = 2; }},
        Tear{"Link", [](auto& state) { state.in_flight[1].linked[1] = 8; }},
        Tear{"Loop", [](auto& state) { state.in_flight[1].linked[1] = 2; }},
        Tear{"FreeTwice", [](auto& state) { state.free[1] = 6; }},
        Tear{"FreeAndTaken", [](auto& state) { state.free[1] = 5; }},
        Tear{"TooFewFree", [](auto& state) { state.free.pop_back(); }},
        Tear{"FreeInQuarantine", [](auto& state) { state.fault = "2.7.8"; }}),
    [](const auto& test) { return test.param.name; });

class PackedStateTest : public DriverStateTest,
                        public testing::WithParamInterface<Tear> {};

TEST_P(PackedStateTest, IsRefusedIfNoHalfCanBeInIt) {
  DriverState state = PackedState();

  GetParam().apply(state);

  EXPECT_EQ(Restore(state).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Tears, PackedStateTest,
    testing::Values(
        Tear{"Slot", [](auto& state) { state.published = 8; }},
        Tear{"Lap", [](auto& state) { state.next_used = 5; }},
        Tear{"Collected", [](auto& state) { state.next_used = 0x8006; }},
        Tear{"CollectedInQuarantine",
             [](auto& state) {
               state.next_used = 0x8006;
               state.fault = "2.8.22";
               state.free.clear();
             }},
        Tear{"NothingHeld", [](auto& state) { state.held.reset(); }},
        Tear{"HeldForNothing",
             [](auto& state) {
               state.unpublished = 0;
               state.published = 3;
             }},
        Tear{"HeldOfAnotherChain", [](auto& state) { state.held->id = 2; }},
        Tear{"HeldOfTheOtherLap", [](auto& state) { state.held->flags = 128; }},
        Tear{"Linked", [](auto& state) { state.in_flight[1].linked = {1}; }},
        Tear{"IdTwice", [](auto& state) { state.in_flight[0].id = 2; }},
        Tear{"TooManySlots", [](auto& state) { state.in_flight[2].slots = 5; }},
        Tear{"FreeTwice", [](auto& state) { state.free[1] = 6; }},
        Tear{"TooFewFree", [](auto& state) { state.free.pop_back(); }}),
    [](const auto& test) { return test.param.name; });

TEST_F(DriverStateTest, QuarantineIsKept) {
  for (DriverState state : {SplitState(), PackedState()}) {
    state.fault = "2.7.8: because";
    state.free.clear();

    auto driver = Restore(state);

    ASSERT_TRUE(driver.ok()) << driver.status();
    EXPECT_EQ(driver->status().message(), "2.7.8: because");
    EXPECT_EQ(driver->Add({}, {}, 0), DriverQueue::AddResult::kBroken);
    EXPECT_FALSE(driver->Collect().has_value());
  }
}

}  // namespace
}  // namespace virtqueue
