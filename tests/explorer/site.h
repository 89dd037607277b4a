// site.h: one memory order in the source of the rings, and what becomes of it
// when it is weakened.
//
// A site is a half, a load or a store, the part of the ring, and the order that
// is written there: "driver.store.avail_idx.seq_cst".

#ifndef TESTS_EXPLORER_SITE_H_
#define TESTS_EXPLORER_SITE_H_

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/explorer/act.h"
#include "tests/explorer/place.h"

namespace virtqueue {

absl::string_view OrderText(std::memory_order order);

struct Site {
  HalfName half = HalfName::kDriver;
  ActKind kind = ActKind::kStore;  // or kLoad
  Part part = Part::kAvailIdx;
  std::memory_order order = std::memory_order_relaxed;

  std::string name() const;
  // The weaker orders that it might have, the strongest first: seq_cst may be
  // acquire or release, which may be relaxed.
  std::vector<std::memory_order> Weaker() const;

  friend bool operator==(const Site& a, const Site& b) = default;
};

struct Weakened {
  Site site;
  std::memory_order to = std::memory_order_relaxed;
  // If any, the site is weaker, and relaxed, with regard to this word alone,
  // and is for all others what it was: "desc addr[0]".
  std::string word;

  // "<site> to relaxed", "<site> to relaxed for desc addr[0]"
  std::string text() const;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_SITE_H_
