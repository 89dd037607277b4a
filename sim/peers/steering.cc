#include "sim/peers/steering.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "absl/types/span.h"
#include "sim/peers/big_endian.h"

namespace sim {
namespace {

constexpr std::array<uint8_t, 16> kKey = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b,
                                          0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d,
                                          0x43, 0xa3, 0x8f, 0xb0};

struct HashInput {
  Be32 source_ip, destination_ip;
  Be16 source_port, destination_port;
};
constexpr size_t kTwoTupleBytes = 8;
constexpr size_t kFourTupleBytes = sizeof(HashInput);
static_assert(kFourTupleBytes == 12 && kKey.size() == kFourTupleBytes + 4);

// For each bit of the input that is set: the 32 bits of the key from there on.
uint32_t Toeplitz(absl::Span<const uint8_t> input) {
  uint32_t window = 0x6d5a56da;  // the first 32 bits of the key
  uint32_t hash = 0;
  for (size_t i = 0; i < input.size(); ++i) {
    for (int bit = 7; bit >= 0; --bit) {
      if (((input[i] >> bit) & 1) != 0) hash ^= window;
      window = window << 1 | ((kKey[i + 4] >> bit) & 1u);
    }
  }
  return hash;
}

uint32_t Hash(const UdpFlow& flow, size_t bytes) {
  const HashInput input = {flow.source_ip, flow.destination_ip,
                           flow.source_port, flow.destination_port};
  std::array<uint8_t, kFourTupleBytes> raw;
  std::memcpy(raw.data(), &input, sizeof(input));
  return Toeplitz(absl::MakeConstSpan(raw).first(bytes));
}

}  // namespace

uint32_t HashTwoTuple(const UdpFlow& flow) {
  return Hash(flow, kTwoTupleBytes);
}

uint32_t HashFourTuple(const UdpFlow& flow) {
  return Hash(flow, kFourTupleBytes);
}

uint32_t PairOf(const UdpFlow& flow, bool fragmented, Steering steering,
                uint32_t pairs) {
  const bool ports = !fragmented || steering == Steering::kFourTuple;
  const uint64_t hash = ports ? HashFourTuple(flow) : HashTwoTuple(flow);
  return static_cast<uint32_t>(hash * pairs >> 32);
}

}  // namespace sim
