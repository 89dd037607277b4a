#include "tests/explorer/replay.h"

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

void Replay::Remark(absl::string_view verb, uint64_t number) {
  if (!AtLast()) return;
  last_.before.push_back({.kind = ActKind::kRemark,
                          .text = absl::StrCat(verb, " buffer ", number)});
}

uint64_t Replay::OnLoad(const void* word, std::memory_order order) {
  if (stopped_) return 0;
  last_loaded_ = static_cast<uint16_t>(places_.Find(word));
  return TakeTurn(
      {.kind = ActKind::kLoad, .order = order, .place = last_loaded_});
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
  } else if (AtLast()) {
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
