// front_end_target.h: the parser of vhost-user messages and what they add up to
// (vsock/vhost_user/message.h, backend.h), at the mercy of a front end.
//
// What has to hold after each message:
//
// - One that is taken for a message is written again byte for byte.
// - One that is not is told from which request it was; nothing follows it.
// - An answer is one to that request, of the length that it says.
// - The device starts only while it does not run, with features that were
//   offered, on rings of a lawful size whose parts lie in the memory that was
//   told; it stops only while it runs.
// - Memory does not change while it runs.
// - After the end it does not run.

#ifndef TESTS_FUZZ_VHOST_USER_FRONT_END_TARGET_H_
#define TESTS_FUZZ_VHOST_USER_FRONT_END_TARGET_H_

#include <string>

#include "tests/fuzz/vhost_user/front_end_input.h"

namespace fuzz {

struct FrontEndOutcome {
  std::string trace;  // each message, and what it did
  std::string fault;  // the first rule that did not hold; empty if all did

  bool operator==(const FrontEndOutcome&) const = default;
};

FrontEndOutcome RunFrontEnd(const FrontEndInput& input);

}  // namespace fuzz

#endif  // TESTS_FUZZ_VHOST_USER_FRONT_END_TARGET_H_
