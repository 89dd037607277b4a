// front_end_input.h: what a front end writes, as text: one message a line.
//
//   # SET_VRING_KICK of ring 1, with its descriptor
//   1 0c000000 01000000 08000000 0100000000000000
//
// First how many descriptors come along, then the bytes, two digits each, with
// blanks where one likes. The first twelve are the header.

#ifndef TESTS_FUZZ_VHOST_USER_FRONT_END_INPUT_H_
#define TESTS_FUZZ_VHOST_USER_FRONT_END_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace fuzz {

struct WrittenMessage {
  uint8_t files = 0;
  std::vector<std::byte> bytes;

  bool operator==(const WrittenMessage&) const = default;
};

using FrontEndInput = std::vector<WrittenMessage>;

// InvalidArgument, with the line's number, if it is none.
absl::StatusOr<FrontEndInput> ParseFrontEndInput(absl::string_view text);
std::string PrintFrontEndInput(const FrontEndInput& input);

// The same as bytes that may be changed at will: each message is a count of
// descriptors, a count of bytes, and so many of them as are left.
std::vector<uint8_t> PackFrontEndInput(const FrontEndInput& input);
FrontEndInput UnpackFrontEndInput(absl::Span<const uint8_t> packed);

}  // namespace fuzz

#endif  // TESTS_FUZZ_VHOST_USER_FRONT_END_INPUT_H_
