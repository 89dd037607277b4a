// Tries what the states of the halves print: two that differ read differently,
// whatever it is that differs, or a test that compares them would not say what
// is wrong.

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/completion_order.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_notification.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

template <typename T>
std::string Text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// How many of `changes` to `before` do not show.
template <typename T>
int Unseen(const T& before,
           const std::vector<std::function<void(T&)>>& changes) {
  int unseen = 0;
  for (const auto& change : changes) {
    T after = before;
    change(after);
    if (Text(after) == Text(before)) ++unseen;
  }
  return unseen;
}

const std::vector<std::function<void(DeviceState&)>> kDeviceChanges = {
    [](DeviceState& s) { s.format = RingFormat::kPacked; },
    [](DeviceState& s) { s.size = 8; },
    [](DeviceState& s) { s.next_available = 1; },
    [](DeviceState& s) { s.next_used = 1; },
    [](DeviceState& s) { s.published = 1; },
    [](DeviceState& s) { s.held = PackedTail{}; },
    [](DeviceState& s) { s.notifications_enabled = false; },
    [](DeviceState& s) { s.fault = "2.8.17: no id"; },
    [](DeviceState& s) { s.put_back.emplace_back(); },
    [](DeviceState& s) { s.in_flight.emplace_back(); },
    [](DeviceState& s) { s.completed.emplace_back(); },
    [](DeviceState& s) { s.oldest_turn = 1; }};

const std::vector<std::function<void(DriverState&)>> kDriverChanges = {
    [](DriverState& s) { s.format = RingFormat::kPacked; },
    [](DriverState& s) { s.size = 8; },
    [](DriverState& s) { s.published = 1; },
    [](DriverState& s) { s.next_used = 1; },
    [](DriverState& s) { s.unpublished = 1; },
    [](DriverState& s) { s.held = PackedTail{}; },
    [](DriverState& s) { s.notifications_enabled = false; },
    [](DriverState& s) { s.fault = "2.7.8: no id"; },
    [](DriverState& s) { s.in_flight.emplace_back(); },
    [](DriverState& s) { s.batch = 1; },
    [](DriverState& s) { s.batch_len = 1; },
    [](DriverState& s) { s.free = {1}; }};

TEST(StateTextTest, ShowsEachFieldOfADevicesState) {
  EXPECT_EQ(Unseen(DeviceState{}, kDeviceChanges), 0);
}

TEST(StateTextTest, ShowsEachFieldOfADriversState) {
  EXPECT_EQ(Unseen(DriverState{}, kDriverChanges), 0);
}

TEST(StateTextTest, ShowsEachFieldOfWhatADriverHasInFlight) {
  EXPECT_EQ(Unseen<DriverState>(
                {.in_flight = {{}}},
                {[](DriverState& s) { s.in_flight[0].token = 1; },
                 [](DriverState& s) { s.in_flight[0].writable_bytes = 1; },
                 [](DriverState& s) { s.in_flight[0].id = 1; },
                 [](DriverState& s) { s.in_flight[0].slots = 2; },
                 [](DriverState& s) { s.in_flight[0].linked = {3}; }}),
            0);
}

TEST(StateTextTest, ShowsEachFieldOfAChainThatWaitsForItsTurn) {
  EXPECT_EQ(Unseen<DeviceState>(
                {.completed = {{}}},
                {[](DeviceState& s) { s.completed[0].turn = 1; },
                 [](DeviceState& s) { s.completed[0].completed.id = 1; },
                 [](DeviceState& s) { s.completed[0].completed.slots = 9; },
                 [](DeviceState& s) { s.completed[0].completed.written = 1; },
                 [](DeviceState& s) { s.completed[0].completed.whole ^= 1; }}),
            0);
}

TEST(StateTextTest, ShowsEachFieldOfAChain) {
  const ChainState::Piece piece = {.at = GuestAddr(0x1000), .len = 16};

  EXPECT_EQ(
      Unseen<ChainState>({}, {[](ChainState& s) { s.id = 1; },
                              [](ChainState& s) { s.slots = 1; },
                              [](ChainState& s) { s.descriptors = 1; },
                              [](ChainState& s) { s.turn = 1; },
                              [&](ChainState& s) { s.readable = {piece}; },
                              [&](ChainState& s) { s.writable = {piece}; }}),
      0);
}

TEST(StateTextTest, TellsReadableBytesFromWritableOnes) {
  const ChainState::Piece piece = {.at = GuestAddr(0x1000), .len = 16};

  EXPECT_NE(Text(ChainState{.readable = {piece}}),
            Text(ChainState{.writable = {piece}}));
}

TEST(StateTextTest, ShowsEachFieldOfANotification) {
  EXPECT_EQ(Unseen<DriverNotification>(
                {.next = NextAvailable{}},
                {[](DriverNotification& said) { said.queue = 1; },
                 [](DriverNotification& said) { said.next.reset(); },
                 [](DriverNotification& said) { said.next->off = 1; },
                 [](DriverNotification& said) { said.next->wrap = true; }}),
            0);
}

}  // namespace
}  // namespace virtqueue
