// act.h: what a half does that the other may notice.

#ifndef TESTS_EXPLORER_ACT_H_
#define TESTS_EXPLORER_ACT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace virtqueue {

enum class HalfName : uint8_t { kDriver, kDevice };

constexpr HalfName OtherHalf(HalfName half) {
  return half == HalfName::kDriver ? HalfName::kDevice : HalfName::kDriver;
}
absl::string_view HalfText(HalfName half);

enum class ActKind : uint8_t {
  kStore,
  kLoad,
  kNotify,       // the other half
  kSleep,        // until notified
  kAwaitNews,    // until a word is newer than this half has read it
  kAwaitEnable,  // until the queue is enabled; what came before is forgotten
  kDone,         // nothing more
  kFault,        // what was read can't be: a chain, a length, a buffer's bytes
  kRemark,       // no act: says what the following ones are for
};

struct Act {
  ActKind kind = ActKind::kDone;
  std::memory_order order = std::memory_order_relaxed;  // of kStore, kLoad
  uint16_t place = 0;                                   // of these, kAwaitNews
  uint64_t value = 0;  // of kStore; of who waits: buffers added, or used
  std::string text;    // of kFault, kRemark

  bool operator==(const Act&) const = default;
};

// True if it waits for no one and needs no turn of its own: memory keeps what
// was there before a store for who has not seen it, unless the store is
// seq_cst.
bool IsPrivate(const Act& act);

// An act that has its turn, and before it the private ones.
struct Turn {
  std::vector<Act> before;
  Act act;

  bool operator==(const Turn&) const = default;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_ACT_H_
