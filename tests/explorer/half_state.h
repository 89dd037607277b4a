// half_state.h: a half between two rounds of its program, as far as that
// determines what it does from then on.
//
// All that a queue keeps is in what its Save gives, but for what it has seen of
// the other half's words and may not have to look at again (driver_state.h,
// device_state.h). Of these, here is the last value that each kind of load
// found in each place: whatever a half remembers of a word, it has from there.

#ifndef TESTS_EXPLORER_HALF_STATE_H_
#define TESTS_EXPLORER_HALF_STATE_H_

#include <atomic>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/container/btree_map.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_state.h"

namespace virtqueue {

struct HalfState {
  using Seen =
      absl::btree_map<std::pair<uint16_t, std::memory_order>, uint64_t>;

  std::variant<DriverState, DeviceState> queue;
  uint64_t begun = 0;  // buffers added, or used
  uint64_t ended = 0;  // buffers collected, or used
  Seen seen;           // by place and order

  bool operator==(const HalfState&) const = default;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_HALF_STATE_H_
