// driver_target.h: the driver half, at the mercy of a device that obeys no
// rule.
//
// A script writes what it likes into the used ring, and into anything else in
// memory, and calls the driver half in between. After each call:
//
// - the answer, the counts and the notification are what the specification says
//   of the memory as it is, and what was published is what was added
//   (naive_driver.h);
// - a token comes back at most once, only after its chain was published, and
//   with no more bytes than that can hold;
// - no byte changed but those that the call is there to change;
// - a quarantined queue says which clause was broken, and does nothing any
// more.

#ifndef TESTS_FUZZ_DRIVER_TARGET_H_
#define TESTS_FUZZ_DRIVER_TARGET_H_

#include "tests/fuzz/outcome.h"

namespace fuzz {

// Its calls are described in README.md.
const Target& DriverTarget();

}  // namespace fuzz

#endif  // TESTS_FUZZ_DRIVER_TARGET_H_
