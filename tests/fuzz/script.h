// script.h: what a fuzzer feeds to a harness, as text: one call a line.
//
//   queue packed 5 event_idx indirect
//   # The driver makes a descriptor available that the device may write to.
//   give 0x10000 64 write 3
//   pop 0
//   push 0 64
//   publish
//
// The first line is the queue, as QueueSpec has it; then come calls. Which ones
// there are, and what each takes, says the grammar of a harness. Numbers are
// decimal or, after 0x, hexadecimal; flags are names or numbers joined by '|'.

#ifndef TESTS_FUZZ_SCRIPT_H_
#define TESTS_FUZZ_SCRIPT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/ring_format.h"

namespace fuzz {

struct QueueSpec {
  static constexpr uint16_t kMaxSize = 256;
  static constexpr uint16_t kMaxTable = 16;

  virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
  uint16_t size = 4;  // as the format allows, at most kMaxSize
  bool event_idx = false;
  bool indirect = false;
  bool in_order = false;
  bool vast = false;           // there is a region of 2 GiB, too
  uint16_t table_entries = 0;  // of the driver's tables, at most kMaxTable
};

// What a number means, which decides its range, how it is written, and which
// values are worth trying.
enum class ArgKind : uint8_t {
  kSlot,   // 16 bits: a slot, a head, a buffer id, a next
  kWord,   // 16 bits: an idx, an event, flags of a ring
  kFlags,  // 16 bits: flags of a descriptor
  kLen,    // 32 bits
  kId,     // 32 bits: of a used element
  kAddr,   // 64 bits
  kValue,  // 64 bits: anything
  kWidth,  // 1, 2, 4 or 8 bytes
  kChain,  // 0 to 7: one of the chains that a harness holds
  kCount,  // 0 to 511: so many buffers
};

// The largest number of that kind.
uint64_t LargestOf(ArgKind kind);

struct CallSpec {
  absl::string_view name;
  std::vector<ArgKind> args;
  // On which rings it does anything.
  bool split = true;
  bool packed = true;

  bool IsFor(virtqueue::RingFormat format) const {
    return format == virtqueue::RingFormat::kSplit ? split : packed;
  }
};

using Grammar = absl::Span<const CallSpec>;

inline constexpr size_t kMaxArgs = 5;
using Args = std::array<uint64_t, kMaxArgs>;

struct Call {
  size_t spec = 0;  // its place in the grammar
  Args args = {};
};

struct Script {
  static constexpr size_t kMaxCalls = 100;

  QueueSpec queue;
  std::vector<Call> calls;
};

// InvalidArgument, with the number of the line, if `text` is no script.
absl::StatusOr<Script> ParseScript(Grammar grammar, absl::string_view text);

std::string PrintCall(Grammar grammar, const Call& call);
std::string PrintScript(Grammar grammar, const Script& script);

}  // namespace fuzz

#endif  // TESTS_FUZZ_SCRIPT_H_
