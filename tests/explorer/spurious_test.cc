// Notifications that nobody sent, at any time: intel/MigTD issue 238, 2024. Who
// is woken up with nothing in the ring looks and sleeps again; no buffer comes
// of it and nothing is waited for.

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "tests/explorer/act.h"
#include "tests/explorer/each_ring.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/report.h"
#include "tests/explorer/ring_pair.h"
#include "tests/explorer/scene.h"

namespace virtqueue {
namespace {

class SpuriousTest : public EachRing {
 protected:
  Scene WithSpurious(uint8_t spurious) const {
    return OnRing({.buffers = 1, .spurious = spurious});
  }

  // Turns of `half` alone until it sleeps.
  static int TurnsUntilAsleep(RingPair& pair, RingPair::State& state,
                              HalfName half) {
    int turns = 0;
    while (pair.Next(state, half).kind != ActKind::kSleep && turns < 100) {
      state = pair.Take(state, {.half = half});
      ++turns;
    }
    return turns;
  }
};

TEST_P(SpuriousTest, NoneAtAnyTimeLosesOrInventsABuffer) {
  const Report report = Explore(WithSpurious(2), std::nullopt, 1'000'000);

  EXPECT_EQ(report.outcome, Explorer::Outcome::kSound) << report.text;
}

TEST_P(SpuriousTest, WhoFindsNothingSleepsAgainAfterAFewLooks) {
  RingPair pair(WithSpurious(0));
  for (const HalfName half : {HalfName::kDriver, HalfName::kDevice}) {
    RingPair::State state = pair.Begin();
    TurnsUntilAsleep(pair, state, half);
    for (int i = 0; i < 10; ++i) {
      state = pair.Take(state, {.half = half, .spurious = true});
      // Looks, looks closer, says its wish, looks again.
      EXPECT_LE(TurnsUntilAsleep(pair, state, half), 4) << HalfText(half);
    }
    EXPECT_EQ(pair.Next(state, half).value,
              half == HalfName::kDriver ? 1u : 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Suppression, SpuriousTest, EachRing::All(),
                         EachRing::Name);

}  // namespace
}  // namespace virtqueue
