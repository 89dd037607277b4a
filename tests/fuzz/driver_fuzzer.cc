// driver_fuzzer.cc: libFuzzer at the driver half; see README.md.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/driver_target.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TryInput(fuzz::DriverTarget(), {data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return fuzz::MutateInput(fuzz::DriverTarget(), {data, max_size}, size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size,
                                            const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size,
                                            unsigned seed) {
  return fuzz::CrossInputs(fuzz::DriverTarget(), {a, a_size}, {b, b_size},
                           {out, max_size}, seed);
}
