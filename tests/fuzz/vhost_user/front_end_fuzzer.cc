// front_end_fuzzer.cc: libFuzzer at the messages of a front end; see
// tests/fuzz/README.md.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/fuzz/vhost_user/front_end_input.h"
#include "tests/fuzz/vhost_user/front_end_target.h"

namespace {

absl::StatusOr<fuzz::FrontEndInput> InputOf(const uint8_t* data, size_t size) {
  return fuzz::ParseFrontEndInput(
      absl::string_view(reinterpret_cast<const char*>(data), size));
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = InputOf(data, size);
  if (!input.ok()) return 0;
  const fuzz::FrontEndOutcome outcome = fuzz::RunFrontEnd(*input);
  if (outcome.fault.empty() && outcome == fuzz::RunFrontEnd(*input)) return 0;
  std::fprintf(stderr, "%sFAULT: %s\n", outcome.trace.c_str(),
               outcome.fault.c_str());
  std::abort();
}

// Changes the bytes of the messages, not those of the text.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned) {
  const auto input = InputOf(data, size);
  std::vector<uint8_t> packed =
      fuzz::PackFrontEndInput(input.ok() ? *input : fuzz::FrontEndInput());
  const size_t packed_size = packed.size();
  packed.resize(std::max<size_t>(packed_size, max_size / 3));
  packed.resize(LLVMFuzzerMutate(packed.data(), packed_size, packed.size()));
  const std::string text =
      fuzz::PrintFrontEndInput(fuzz::UnpackFrontEndInput(packed));
  const size_t printed = std::min(text.size(), max_size);
  std::copy_n(text.begin(), printed, data);
  return printed;
}
