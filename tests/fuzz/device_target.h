// device_target.h: the device half, at the mercy of a driver that obeys no
// rule.
//
// A script writes what it likes into the ring, into tables and into anything
// else in memory, and calls the device half in between. After each call:
//
// - the answer, the chain, the counts and the notification are what the
//   specification says of the memory as it is (naive_device.h);
// - each chain popped shows up in the used ring once, with the length given;
// - no byte changed but those that the call is there to change;
// - a broken queue says which clause was broken, and does nothing any more.

#ifndef TESTS_FUZZ_DEVICE_TARGET_H_
#define TESTS_FUZZ_DEVICE_TARGET_H_

#include "tests/fuzz/outcome.h"

namespace fuzz {

// Its calls are described in README.md.
const Target& DeviceTarget();

}  // namespace fuzz

#endif  // TESTS_FUZZ_DEVICE_TARGET_H_
