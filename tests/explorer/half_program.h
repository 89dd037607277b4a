// half_program.h: how one half of a ring is used, from the beginning to the
// end.

#ifndef TESTS_EXPLORER_HALF_PROGRAM_H_
#define TESTS_EXPLORER_HALF_PROGRAM_H_

#include "tests/explorer/replay.h"

namespace virtqueue {

class HalfProgram {
 public:
  virtual ~HalfProgram() = default;
  // Once. Returns soon after `replay` has stopped.
  virtual void Run(Replay& replay) = 0;
};

// What the driver writes into the request of a chain, and the device into its
// reply.
constexpr uint64_t RequestOf(uint64_t chain) { return 100 + chain; }
constexpr uint64_t ReplyTo(uint64_t chain) { return 200 + chain; }

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_HALF_PROGRAM_H_
