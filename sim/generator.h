// generator.h: the two integer generators that all chance is made of.
//
// SplitMix64 (Steele, Lea and Flood 2014) turns any seed into well mixed words;
// xoshiro256** 1.0 (Blackman and Vigna 2018) makes the stream. Both are integer
// arithmetic modulo 2^64 alone, so a stream is the same with every compiler.
// Left out: distributions, see random.h.

#ifndef SIM_GENERATOR_H_
#define SIM_GENERATOR_H_

#include <array>
#include <bit>
#include <cstdint>

namespace sim {

class SplitMix64 {
 public:
  constexpr explicit SplitMix64(uint64_t seed) : state_(seed) {}

  constexpr uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

class Xoshiro256StarStar {
 public:
  using State = std::array<uint64_t, 4>;

  constexpr explicit Xoshiro256StarStar(State state) : s_(state) {}

  // The authors' advice: fill the state from SplitMix64, which never gives the
  // one forbidden state, all zeros.
  constexpr explicit Xoshiro256StarStar(uint64_t seed) : s_{} {
    SplitMix64 words(seed);
    for (uint64_t& word : s_) word = words.Next();
  }

  constexpr uint64_t Next() {
    const uint64_t result = std::rotl(s_[1] * 5, 7) * 9;
    const uint64_t shifted = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= shifted;
    s_[3] = std::rotl(s_[3], 45);
    return result;
  }

 private:
  State s_;
};

}  // namespace sim

#endif  // SIM_GENERATOR_H_
