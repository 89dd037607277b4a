// fuzzing.h: what libFuzzer wants of a target: to try an input, and to make
// others of it.

#ifndef TESTS_FUZZ_FUZZING_H_
#define TESTS_FUZZ_FUZZING_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/fuzz/outcome.h"

namespace fuzz {

// Runs `text`, a script, twice. It is a fault, too, if it is no script, or if
// not the same happened both times.
Outcome RunText(const Target& target, absl::string_view text);

// Stops the program if there is a fault. Passes over what is no script.
void TryInput(const Target& target, absl::Span<const uint8_t> input);

// Changes the first `size` bytes of `data`, which are a script or not; they are
// one afterwards, of at most data.size() bytes. Says how many.
size_t MutateInput(const Target& target, absl::Span<uint8_t> data, size_t size,
                   uint32_t seed);

// Makes a script of two inputs in the same way.
size_t CrossInputs(const Target& target, absl::Span<const uint8_t> a,
                   absl::Span<const uint8_t> b, absl::Span<uint8_t> out,
                   uint32_t seed);

}  // namespace fuzz

#endif  // TESTS_FUZZ_FUZZING_H_
