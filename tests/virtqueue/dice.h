// dice.h: numbers from a seed; a run is its seed.

#ifndef TESTS_VIRTQUEUE_DICE_H_
#define TESTS_VIRTQUEUE_DICE_H_

#include <cstdint>

// SplitMix64: one 64-bit state, every seed is good.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>(Next() % bound);
  }

 private:
  uint64_t state_;
};

#endif  // TESTS_VIRTQUEUE_DICE_H_
