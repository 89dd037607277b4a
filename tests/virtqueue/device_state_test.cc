// Tries virtqueue/device_state.h: states that are and that are none, and the
// bases of vhost-user. That a run goes on from a state: save_restore_test.cc.

#include "virtqueue/device_state.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/chain.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace virtqueue {
namespace {

constexpr uint64_t kBuffers = 0x1000;
constexpr uint16_t kSize = 8;

ChainState ChainOf(uint16_t id, uint16_t slots, uint16_t descriptors) {
  return {.id = id,
          .slots = slots,
          .descriptors = descriptors,
          .readable = {{.at = GuestAddr(kBuffers), .len = 16}},
          .writable = {{.at = GuestAddr(kBuffers + 16), .len = 32}}};
}

// Of 65534, 65535, 0 and 1 the first was pushed; nothing was published.
DeviceState SplitState() {
  return {.format = RingFormat::kSplit,
          .size = kSize,
          .next_available = 2,
          .next_used = 65535,
          .published = 65534,
          .put_back = {{.id = 7}},
          .in_flight = {ChainOf(1, 0, 2), ChainOf(3, 0, 2)}};
}

// From slot 6 on: one slot pushed, then three, then a table.
DeviceState PackedState() {
  return {.format = RingFormat::kPacked,
          .size = kSize,
          .next_available = 3,      // the other lap
          .next_used = 0x8000 | 7,  // the first one
          .published = 0x8000 | 6,  //
          .held = PackedTail{.len = 5, .id = 9, .flags = 0x8082},
          .put_back = {ChainOf(700, 3, 3)},
          .in_flight = {ChainOf(1, 1, 2)}};
}

class DeviceStateTest : public testing::Test {
 protected:
  absl::StatusOr<DeviceQueue::Restored> Restore(const DeviceState& state) {
    return DeviceQueue::Restore(heap_.memory(),
                                LayRing(state.format, GuestAddr(0), kSize),
                                {.size = kSize}, state);
  }

  HeapMemory heap_{{{0, 512}, {kBuffers, 64}}};
};

TEST_F(DeviceStateTest, GoesOnWhereASplitRingWas) {
  auto restored = Restore(SplitState());
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(restored->queue.in_flight(), 2u);

  restored->queue.Push(restored->in_flight[1], 5);
  restored->queue.Publish();

  const Chain* const held = &restored->in_flight[0];
  const DeviceState state = restored->queue.Save({&held, 1});
  EXPECT_EQ(state.published, 0);
  EXPECT_EQ(state.in_flight, std::vector<ChainState>{ChainOf(1, 0, 2)});
}

TEST_F(DeviceStateTest, GoesOnWhereAPackedRingWas) {
  auto restored = Restore(PackedState());
  ASSERT_TRUE(restored.ok()) << restored.status();
  Chain chain;

  ASSERT_EQ(restored->queue.Pop(chain), DeviceQueue::PopResult::kChain);
  EXPECT_EQ(chain.head(), 700u);
  EXPECT_EQ(chain.writable_bytes(), 32u);
  restored->queue.Push(chain, 32);
  restored->queue.Push(restored->in_flight[0], 0);
  restored->queue.Publish();

  EXPECT_EQ(VringBase(restored->queue.Save({})), 0x0003'0003u);
}

struct Tear {
  std::string name;
  std::function<void(DeviceState&)> apply;

  friend std::ostream& operator<<(std::ostream& out, const Tear& tear) {
    return out << tear.name;
  }
};

class SplitStateTest : public DeviceStateTest,
                       public testing::WithParamInterface<Tear> {};

TEST_P(SplitStateTest, IsRefusedIfNoHalfCanBeInIt) {
  DeviceState state = SplitState();

  GetParam().apply(state);

  EXPECT_EQ(Restore(state).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Tears, SplitStateTest,
    testing::Values(
        Tear{"Size", [](auto& state) { state.size = 16; }},
        Tear{"MorePopped", [](auto& state) { state.next_available = 3; }},
        Tear{"MorePushed", [](auto& state) { state.next_used = 0; }},
        Tear{"FarBehind", [](auto& state) { state.published = 65529; }},
        Tear{"UsedBeforePublished", [](auto& state) { state.published = 0; }},
        Tear{"Held", [](auto& state) { state.held = PackedTail{}; }},
        Tear{"PutBackHead", [](auto& state) { state.put_back[0].id = 8; }},
        Tear{"PutBackSlots", [](auto& state) { state.put_back[0].slots = 1; }},
        Tear{"Head", [](auto& state) { state.in_flight[0].id = 8; }},
        Tear{"Slots", [](auto& state) { state.in_flight[0].slots = 1; }},
        Tear{"OneTooMany",
             [](auto& state) { state.in_flight.push_back(ChainOf(4, 0, 1)); }},
        Tear{"NoDescriptors",
             [](auto& state) { state.in_flight[0].descriptors = 0; }},
        Tear{"ManyDescriptors",
             [](auto& state) { state.in_flight[0].descriptors = 9; }},
        Tear{"EmptyPiece",
             [](auto& state) { state.in_flight[0].readable[0].len = 0; }},
        Tear{"Outside",
             [](auto& state) { state.in_flight[0].writable[0].len = 49; }}),
    [](const auto& test) { return test.param.name; });

class PackedStateTest : public DeviceStateTest,
                        public testing::WithParamInterface<Tear> {};

TEST_P(PackedStateTest, IsRefusedIfNoHalfCanBeInIt) {
  DeviceState state = PackedState();

  GetParam().apply(state);

  EXPECT_EQ(Restore(state).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Tears, PackedStateTest,
    testing::Values(
        Tear{"Slot", [](auto& state) { state.next_available = 8; }},
        Tear{"Lap", [](auto& state) { state.next_available = 0x8003; }},
        Tear{"MorePopped", [](auto& state) { state.next_available = 4; }},
        Tear{"NothingHeld", [](auto& state) { state.held.reset(); }},
        Tear{"HeldForNothing",
             [](auto& state) { state.published = state.next_used; }},
        Tear{"HeldOfTheOtherLap", [](auto& state) { state.held->flags = 2; }},
        Tear{"HeldLinked", [](auto& state) { state.held->flags |= 1; }},
        Tear{"NoSlots", [](auto& state) { state.in_flight[0].slots = 0; }},
        Tear{"SlotsAndDescriptors",
             [](auto& state) { state.put_back[0].descriptors = 4; }},
        Tear{"OneTooFew", [](auto& state) { state.in_flight.clear(); }},
        Tear{"PutBackOutside",
             [](auto& state) {
               state.put_back[0].readable[0].at = GuestAddr(600);
             }}),
    [](const auto& test) { return test.param.name; });

TEST_F(DeviceStateTest, StateOfOneFormatIsNoneOfTheOther) {
  const auto restored = DeviceQueue::Restore(
      heap_.memory(), LayRing(RingFormat::kPacked, GuestAddr(0), kSize),
      {.size = kSize}, SplitState());

  EXPECT_EQ(restored.status().code(), absl::StatusCode::kInvalidArgument);
}

// 2.7.5.2: the driver does not make a chain of more than 2^32 bytes.
TEST(DeviceStateSizeTest, ChainOfMoreThanFourGibibytesIsRefused) {
  const auto guest = OwnedGuestMemory::Create(uint64_t{3} << 30, GuestAddr(0));
  ASSERT_TRUE(guest.ok()) << guest.status();
  const ChainState::Piece half = {.at = GuestAddr(0), .len = 1u << 31};
  const auto restore = [&](const ChainState& chain) {
    const DeviceState state = {
        .size = kSize, .next_available = 1, .in_flight = {chain}};
    return DeviceQueue::Restore(
               guest->memory(),
               LayRing(RingFormat::kSplit, GuestAddr(0), kSize),
               {.size = kSize}, state)
        .status();
  };
  ChainState chain = {.descriptors = 3, .readable = {half}, .writable = {half}};

  EXPECT_TRUE(restore(chain).ok());
  chain.writable.push_back({.at = GuestAddr(0), .len = 1});
  EXPECT_EQ(restore(chain).code(), absl::StatusCode::kInvalidArgument);
}

TEST(VringBaseTest, OfASplitRingIsTheAvailableIdx) {
  const DeviceState idle =
      IdleDeviceState(RingFormat::kSplit, kSize, /*base=*/0xfffe);

  EXPECT_EQ(idle.next_available, 0xfffe);
  EXPECT_EQ(idle.next_used, 0xfffe);
  EXPECT_EQ(VringBase(idle), 0xfffeu);
}

TEST(VringBaseTest, OfAPackedRingIsBothPositionsWithTheirWrapCounters) {
  const DeviceState idle =
      IdleDeviceState(RingFormat::kPacked, kSize, /*base=*/0x8005'8005);

  EXPECT_EQ(idle.next_available, 0x8005);
  EXPECT_EQ(idle.next_used, 0x8005);
  EXPECT_EQ(VringBase(idle), 0x8005'8005u);
}

TEST(VringBaseTest, TellsNothingOfChainsThatAreOnTheirWay) {
  EXPECT_EQ(VringBase(SplitState()), std::nullopt);
  EXPECT_EQ(VringBase(PackedState()), std::nullopt);
}

TEST_F(DeviceStateTest, BaseThatSaysMoreWasPoppedThanUsedIsRefused) {
  EXPECT_TRUE(
      Restore(IdleDeviceState(RingFormat::kPacked, kSize, 0x8005'8005)).ok());
  EXPECT_FALSE(
      Restore(IdleDeviceState(RingFormat::kPacked, kSize, 0x8005'8006)).ok());
  EXPECT_FALSE(
      Restore(IdleDeviceState(RingFormat::kPacked, kSize, 0x8008'8008)).ok());
}

}  // namespace
}  // namespace virtqueue
