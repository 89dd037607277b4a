// window.h: the part of a run that is measured.
//
// Load starts before it and ends after it, so that what is measured was never
// undisturbed.

#ifndef SIM_WINDOW_H_
#define SIM_WINDOW_H_

#include "vsock/units.h"

namespace sim {

struct Window {
  vsock::Instant begin;  // included
  vsock::Instant end;    // excluded

  bool Contains(vsock::Instant t) const { return begin <= t && t < end; }
};

}  // namespace sim

#endif  // SIM_WINDOW_H_
