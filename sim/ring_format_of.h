// ring_format_of.h: the format of a scenario's rings, as the queues know it.

#ifndef SIM_RING_FORMAT_OF_H_
#define SIM_RING_FORMAT_OF_H_

#include "sim/scenario.pb.h"
#include "virtqueue/ring_format.h"

namespace sim {

inline virtqueue::RingFormat RingFormatOf(const Scenario::Ring& ring) {
  return ring.format() == Scenario::Ring::PACKED
             ? virtqueue::RingFormat::kPacked
             : virtqueue::RingFormat::kSplit;
}

}  // namespace sim

#endif  // SIM_RING_FORMAT_OF_H_
