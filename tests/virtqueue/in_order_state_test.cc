// Tries what VIRTIO_F_IN_ORDER adds to virtqueue/device_state.h and
// virtqueue/driver_state.h: states that are and that are none. That a run goes
// on from a state: save_restore_test.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 8;

// Of four chains the one that is due next, of turn 7, is with the user.
DeviceState Device() {
  return {.format = RingFormat::kSplit,
          .size = kSize,
          .next_available = 4,
          .put_back = {{.id = 5, .turn = 1}},
          .in_flight = {{.id = 6, .descriptors = 1, .turn = 7}},
          .completed = {{.turn = 0, .completed = {.id = 1, .whole = true}},
                        {.turn = 2, .completed = {.id = 3, .written = 9}}},
          .oldest_turn = 7};
}

// Descriptors 6, 7 and 0, 1, of which the first two are used by one element.
DriverState Driver() {
  return {
      .format = RingFormat::kSplit,
      .size = kSize,
      .published = 3,
      .in_flight = {{.writable_bytes = 5, .id = 6},
                    {.writable_bytes = 7, .id = 7, .slots = 2, .linked = {0}},
                    {.writable_bytes = 9, .id = 1}},
      .batch = 2,
      .batch_len = 7,
      .free = {2, 3, 4, 5}};
}

template <typename State>
struct Wrong {
  std::string what;
  std::function<void(State&)> change;
};

TEST(InOrderDeviceStateTest, OfTurnsThatFollowOneAnotherIsOne) {
  EXPECT_EQ(CheckDeviceState(Device(), RingFormat::kSplit, kSize),
            absl::OkStatus());
  EXPECT_EQ(CheckTurns(Device(), /*in_order=*/true), absl::OkStatus());
}

TEST(InOrderDeviceStateTest, OfOtherTurnsIsNone) {
  const std::vector<Wrong<DeviceState>> all = {
      {"twice", [](DeviceState& s) { s.put_back[0].turn = 0; }},
      {"left out", [](DeviceState& s) { s.in_flight[0].turn = 3; }},
      {"beyond the size", [](DeviceState& s) { s.completed[1].turn = 10; }},
      {"oldest is another", [](DeviceState& s) { s.oldest_turn = 6; }},
      {"oldest beyond the size", [](DeviceState& s) { s.oldest_turn = 8; }},
      {"pushed and not published",
       [](DeviceState& s) { s.published = 65535; }}};
  for (const Wrong<DeviceState>& wrong : all) {
    DeviceState state = Device();
    wrong.change(state);
    EXPECT_EQ(CheckTurns(state, /*in_order=*/true).code(),
              absl::StatusCode::kInvalidArgument)
        << wrong.what;
  }
}

TEST(InOrderDeviceStateTest, CountsTheChainsThatWait) {
  DeviceState state = Device();
  state.completed.pop_back();
  EXPECT_FALSE(CheckDeviceState(state, RingFormat::kSplit, kSize).ok());
  state = Device();
  state.completed[0].completed.id = kSize;
  EXPECT_FALSE(CheckDeviceState(state, RingFormat::kSplit, kSize).ok());
  state = Device();
  state.completed[0].completed.slots = 1;
  EXPECT_FALSE(CheckDeviceState(state, RingFormat::kSplit, kSize).ok());
}

TEST(InOrderDeviceStateTest, CountsTheSlotsThatWaitOnAPackedRing) {
  DeviceState state = {
      .format = RingFormat::kPacked,
      .size = kSize,
      .next_available = 0x8000 | 3,
      .next_used = 0x8000,
      .published = 0x8000,
      .completed = {{.turn = 1, .completed = {.id = 9, .slots = 3}}},
      .oldest_turn = 1};
  EXPECT_TRUE(CheckDeviceState(state, RingFormat::kPacked, kSize).ok());
  for (const uint16_t slots : std::vector<uint16_t>{0, 2, 9}) {
    state.completed[0].completed.slots = slots;
    EXPECT_FALSE(CheckDeviceState(state, RingFormat::kPacked, kSize).ok());
  }
}

TEST(InOrderDeviceStateTest, ThatWaitsIsNoneOfAQueueThatIsNotInOrder) {
  EXPECT_FALSE(CheckTurns(Device(), /*in_order=*/false).ok());
  DeviceState state = Device();
  state.completed.clear();
  EXPECT_TRUE(CheckTurns(state, /*in_order=*/false).ok());
}

TEST(InOrderDriverStateTest, OfNumbersThatFollowOneAnotherIsOne) {
  EXPECT_EQ(CheckDriverState(Driver(), RingFormat::kSplit, kSize),
            absl::OkStatus());
  EXPECT_EQ(CheckOrder(Driver(), /*in_order=*/true), absl::OkStatus());
}

TEST(InOrderDriverStateTest, OfOtherNumbersOrBatchesIsNone) {
  const std::vector<Wrong<DriverState>> all = {
      {"a chain elsewhere", [](DriverState& s) { s.in_flight[2].id = 2; }},
      {"a link elsewhere", [](DriverState& s) { s.in_flight[1].linked = {2}; }},
      {"another free first",
       [](DriverState& s) {
         s.free = {3, 2, 4, 5};
       }},
      {"batch too long", [](DriverState& s) { s.batch = 4; }},
      {"batch of a quarantined queue",
       [](DriverState& s) { s.fault = "2.7.8: a fault"; }},
      {"batch of what is not published",
       [](DriverState& s) { s.unpublished = 2; }},
      {"len too long", [](DriverState& s) { s.batch_len = 8; }}};
  for (const Wrong<DriverState>& wrong : all) {
    DriverState state = Driver();
    wrong.change(state);
    EXPECT_EQ(CheckOrder(state, /*in_order=*/true).code(),
              absl::StatusCode::kInvalidArgument)
        << wrong.what;
  }
}

TEST(InOrderDriverStateTest, WithABatchIsNoneOfAQueueThatIsNotInOrder) {
  EXPECT_FALSE(CheckOrder(Driver(), /*in_order=*/false).ok());
  DriverState state = Driver();
  state.batch = 0;
  state.free = {5, 4, 3, 2};
  EXPECT_TRUE(CheckOrder(state, /*in_order=*/false).ok());
}

}  // namespace
}  // namespace virtqueue
