#include "sim/generator.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sim {
namespace {

// The first outputs of the authors' C code from the state 1, 2, 3, 4, as the
// crate rand_xoshiro publishes them in its tests.
TEST(Xoshiro256StarStarTest, GivesThePublishedStream) {
  Xoshiro256StarStar generator(Xoshiro256StarStar::State{1, 2, 3, 4});

  for (const uint64_t expected :
       {uint64_t{11520}, uint64_t{0}, uint64_t{1509978240},
        uint64_t{1215971899390074240}, uint64_t{1216172134540287360},
        uint64_t{607988272756665600}, uint64_t{16172922978634559625u},
        uint64_t{8476171486693032832}, uint64_t{10595114339597558777u},
        uint64_t{2904607092377533576}}) {
    EXPECT_EQ(generator.Next(), expected);
  }
}

// From Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567.
TEST(SplitMix64Test, GivesThePublishedStream) {
  SplitMix64 words(1234567);

  for (const uint64_t expected :
       {uint64_t{6457827717110365317}, uint64_t{3203168211198807973},
        uint64_t{9817491932198370423u}, uint64_t{4593380528125082431},
        uint64_t{16408922859458223821u}}) {
    EXPECT_EQ(words.Next(), expected);
  }
}

TEST(Xoshiro256StarStarTest, TakesItsStateFromSplitMix64) {
  SplitMix64 words(7);
  Xoshiro256StarStar::State state;
  for (uint64_t& word : state) word = words.Next();

  Xoshiro256StarStar seeded(uint64_t{7});
  Xoshiro256StarStar filled(state);

  for (int i = 0; i < 8; ++i) EXPECT_EQ(seeded.Next(), filled.Next());
}

}  // namespace
}  // namespace sim
