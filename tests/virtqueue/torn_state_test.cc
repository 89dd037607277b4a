// States that were changed at random, as by a torn file or a hostile peer: each
// is refused, or the half goes on from it without harm to this process.

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/virtqueue/dice.h"
#include "tests/virtqueue/ring_run.h"
#include "virtqueue/chain_state.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"

namespace {

using virtqueue::ChainState;
using virtqueue::DeviceState;
using virtqueue::DriverState;
using virtqueue::GuestAddr;
using virtqueue::PackedTail;
using virtqueue::RingFormat;

// Near what it was, or anything.
uint16_t Other(Dice& dice, uint16_t number) {
  const auto by = static_cast<uint16_t>(dice.Next());
  return static_cast<uint16_t>(number + (dice.Below(2) == 0 ? by % 3 - 1 : by));
}

template <typename T>
void TearList(Dice& dice, std::vector<T>& list) {
  if (dice.Below(2) == 0) {
    if (!list.empty()) list.pop_back();
  } else {
    list.push_back(list.empty()
                       ? T{}
                       : list[dice.Below(static_cast<uint32_t>(list.size()))]);
  }
}

void TearHeld(Dice& dice, std::optional<PackedTail>& held) {
  if (!held.has_value() || dice.Below(3) == 0) {
    held = PackedTail{.id = 1, .flags = 0x80};
    return;
  }
  held->len = static_cast<uint32_t>(dice.Next());
  held->flags = Other(dice, held->flags);
}

void TearChain(Dice& dice, ChainState& chain) {
  switch (dice.Below(6)) {
    case 0:
      chain.id = Other(dice, chain.id);
      return;
    case 1:
      chain.slots = Other(dice, chain.slots);
      return;
    case 2:
      chain.descriptors = Other(dice, chain.descriptors);
      return;
    case 3:
      return TearList(dice, chain.writable);
    case 4:
      chain.turn = Other(dice, chain.turn);
      return;
    default:
      if (chain.writable.empty()) return;
      chain.writable[0].at = GuestAddr(dice.Below(1 << 18));
      chain.writable[0].len = dice.Below(1 << 12);
  }
}

void TearTurns(Dice& dice, DeviceState& state) {
  if (dice.Below(3) == 0) {
    state.oldest_turn = Other(dice, state.oldest_turn);
  } else if (state.completed.empty() || dice.Below(3) == 0) {
    TearList(dice, state.completed);
  } else {
    auto& [turn, completed] = state.completed[0];
    turn = Other(dice, turn);
    completed.slots = Other(dice, completed.slots);
    completed.whole = !completed.whole;
  }
}

void Tear(Dice& dice, DeviceState& state) {
  switch (dice.Below(10)) {
    case 0:
      state.next_available = Other(dice, state.next_available);
      return;
    case 1:
      state.next_used = Other(dice, state.next_used);
      return;
    case 2:
      state.published = Other(dice, state.published);
      return;
    case 3:
      return TearHeld(dice, state.held);
    case 4:
      state.fault = dice.Below(2) == 0 ? "" : "2.7: torn";
      return;
    case 5:
      return TearList(dice, state.put_back);
    case 6:
      return TearList(dice, state.in_flight);
    case 7:
      state.size = Other(dice, state.size);
      return;
    case 8:
      return TearTurns(dice, state);
    default:
      auto& chains = dice.Below(2) == 0 ? state.put_back : state.in_flight;
      if (!chains.empty()) TearChain(dice, chains[0]);
  }
}

void Tear(Dice& dice, DriverState& state) {
  switch (dice.Below(10)) {
    case 0:
      state.published = Other(dice, state.published);
      return;
    case 1:
      state.next_used = Other(dice, state.next_used);
      return;
    case 2:
      state.unpublished = Other(dice, state.unpublished);
      return;
    case 3:
      return TearHeld(dice, state.held);
    case 4:
      state.fault = dice.Below(2) == 0 ? "" : "2.7: torn";
      return;
    case 5:
      return TearList(dice, state.in_flight);
    case 6:
      return TearList(dice, state.free);
    case 7:
      if (!state.free.empty()) state.free[0] = Other(dice, state.free[0]);
      return;
    case 8:
      state.batch = Other(dice, state.batch);
      state.batch_len = dice.Below(100);
      return;
    default:
      if (state.in_flight.empty()) return;
      DriverState::InFlight& chain = state.in_flight[0];
      chain.id = Other(dice, chain.id);
      chain.writable_bytes = dice.Below(100);
      TearList(dice, chain.linked);
  }
}

class TornStateTest : public testing::TestWithParam<RingRun::Ring> {
 protected:
  // A run up to a random point.
  void Begin() {
    run_.emplace(GetParam());
    Go(dice_.Below(300));
  }
  void Go(uint32_t steps) {
    while (steps-- > 0) run_->Step(dice_.Next());
  }

  // So many states, each changed in one to three places; how many were taken.
  template <typename State>
  uint32_t Try(State (RingRun::*save)() const) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < kStates; ++i) {
      Begin();
      State state = ((*run_).*save)();
      for (uint32_t tears = 1 + dice_.Below(3); tears > 0; --tears) {
        Tear(dice_, state);
      }
      taken += run_->Restore(state).ok();
      Go(100);
    }
    return taken;
  }

  static constexpr uint32_t kStates = 2000;

  Dice dice_{7};
  std::optional<RingRun> run_;
};

TEST_P(TornStateTest, OfADeviceIsRefusedOrGoesOn) {
  const uint32_t taken = Try(&RingRun::SaveDevice);

  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, kStates / 2);
}

TEST_P(TornStateTest, OfADriverIsRefusedOrGoesOn) {
  const uint32_t taken = Try(&RingRun::SaveDriver);

  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, kStates / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Rings, TornStateTest,
    testing::Values(RingRun::Ring{"EventIdxIndirect8", {}, 8, true, 3},
                    RingRun::Ring{"PackedEventIdx7", RingFormat::kPacked, 7,
                                  true, 3},
                    RingRun::Ring{"InOrder8",
                                  {},
                                  8,
                                  false,
                                  3,
                                  /*in_order=*/true},
                    RingRun::Ring{"PackedInOrder7", RingFormat::kPacked, 7,
                                  false, 3, /*in_order=*/true}),
    [](const auto& test) { return test.param.name; });

}  // namespace
