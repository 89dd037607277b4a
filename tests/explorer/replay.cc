#include "tests/explorer/replay.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace virtqueue {

Replay::Replay(const PlaceMap& places, absl::Span<const uint64_t> answers)
    : places_(places), answers_(answers) {
  VSOCK_CHECK(Witness::installed() == nullptr);
  Witness::Install(this);
}

Replay::~Replay() { Witness::Install(nullptr); }

void Replay::Fault(absl::string_view text) {
  TakeTurn({.kind = ActKind::kFault, .text = std::string(text)});
}

void Replay::BeginRound(std::variant<DriverState, DeviceState> queue,
                        uint64_t begun, uint64_t ended) {
  if (!NextIsLast()) return;
  state_ = HalfState{
      .queue = std::move(queue), .begun = begun, .ended = ended, .seen = seen_};
}

void Replay::Remark(absl::string_view verb, uint64_t number) {
  if (!NextIsLast()) return;
  last_.before.push_back({.kind = ActKind::kRemark,
                          .text = absl::StrCat(verb, " buffer ", number)});
}

uint64_t Replay::OnLoad(const void* word, std::memory_order order) {
  if (stopped_) return 0;
  last_loaded_ = static_cast<uint16_t>(places_.Find(word));
  const uint64_t value =
      TakeTurn({.kind = ActKind::kLoad, .order = order, .place = last_loaded_});
  seen_[{last_loaded_, order}] = value;
  return value;
}

void Replay::OnStore(const void* word, uint64_t value,
                     std::memory_order order) {
  if (stopped_) return;
  const Act act = {.kind = ActKind::kStore,
                   .order = order,
                   .place = static_cast<uint16_t>(places_.Find(word)),
                   .value = value};
  if (!IsPrivate(act)) {
    TakeTurn(act);
  } else if (NextIsLast()) {
    last_.before.push_back(act);
  }
}

uint64_t Replay::TakeTurn(const Act& act) {
  if (stopped_) return 0;
  if (given_ != answers_.size()) return answers_[given_++];
  last_.act = act;
  stopped_ = true;
  return 0;
}

}  // namespace virtqueue
