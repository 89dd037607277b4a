// bells.h: who is to be notified of what, as the bits of one word.
//
// The bell of a queue rings for the driver as an interrupt (2.7.7) and for the
// device as a kick (2.7.10).

#ifndef BENCH_BELLS_H_
#define BENCH_BELLS_H_

#include <cstdint>

namespace bench {

inline constexpr uint32_t kTxBell = 1;
inline constexpr uint32_t kRxBell = 2;
inline constexpr uint32_t kHarnessBell = 4;  // not the model's: look around

constexpr uint32_t Bells(bool tx, bool rx) {
  return (tx ? kTxBell : 0) | (rx ? kRxBell : 0);
}

}  // namespace bench

#endif  // BENCH_BELLS_H_
