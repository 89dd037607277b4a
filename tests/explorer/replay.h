// replay.h: runs one half of a ring against answers that are given beforehand.
//
// What a half does next depends on nothing but what it has read so far. So it
// is run from its beginning with the answers to all but its last turn, and what
// it does then is the next turn. From there on its loads are answered by zeroes
// and what it does is ignored, until its program sees stopped() and returns:
// the rings stand whatever they read.

#ifndef TESTS_EXPLORER_REPLAY_H_
#define TESTS_EXPLORER_REPLAY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/explorer/act.h"
#include "tests/explorer/explored_word.h"
#include "tests/explorer/half_state.h"
#include "tests/explorer/place.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_state.h"

namespace virtqueue {

class Replay final : public Witness {
 public:
  // One answer for each turn but the last: what was loaded, else 0. Both
  // outlive this.
  Replay(const PlaceMap& places, absl::Span<const uint64_t> answers);
  ~Replay() override;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // For the program.
  bool stopped() const { return stopped_; }
  void Notify() { TakeTurn({.kind = ActKind::kNotify}); }
  // `seen`: how many buffers this half knows to be with the device or used.
  void Sleep(uint64_t seen) {
    TakeTurn({.kind = ActKind::kSleep, .value = seen});
  }
  // For one that polls: until the word that it has read last is a newer one. A
  // look in vain changes nothing, so one is as good as many.
  void AwaitNews(uint64_t seen) {
    TakeTurn(
        {.kind = ActKind::kAwaitNews, .place = last_loaded_, .value = seen});
  }
  void AwaitEnable() { TakeTurn({.kind = ActKind::kAwaitEnable}); }
  void Done() { TakeTurn({.kind = ActKind::kDone}); }
  void Fault(absl::string_view text);
  // The program is between two rounds, and goes by its state from here on.
  // Ignored, and need not be called, unless NextIsLast().
  void BeginRound(std::variant<DriverState, DeviceState> queue, uint64_t begun,
                  uint64_t ended);
  // All answers were given: the next turn is the last.
  bool NextIsLast() const { return !stopped_ && given_ == answers_.size(); }
  // "<verb> buffer <number>"
  void Remark(absl::string_view verb, uint64_t number);

  uint64_t OnLoad(const void* word, std::memory_order order) override;
  void OnStore(const void* word, uint64_t value,
               std::memory_order order) override;

  // What the program did when it ran out of answers.
  const Turn& last() const { return last_; }
  // The state before that turn, if the turn began a round: if there was no
  // other turn in between.
  const std::optional<HalfState>& state() const { return state_; }

 private:
  uint64_t TakeTurn(const Act& act);

  const PlaceMap& places_;
  const absl::Span<const uint64_t> answers_;
  size_t given_ = 0;
  uint16_t last_loaded_ = 0;
  bool stopped_ = false;
  Turn last_;
  HalfState::Seen seen_;
  std::optional<HalfState> state_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_REPLAY_H_
