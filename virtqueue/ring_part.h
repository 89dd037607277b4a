// ring_part.h: a part of a ring in memory, and where parts may lie.
//
// Spec: virtio 1.3, 2.7 and 2.8.10.1: their alignment. That no two overlap is
// not said there, but a ring of which two do can't work.

#ifndef VIRTQUEUE_RING_PART_H_
#define VIRTQUEUE_RING_PART_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"

namespace virtqueue {

struct RingPart {
  absl::string_view name;
  GuestAddr at;
  uint32_t bytes;
  uint32_t align;
};

// InvalidArgument if a part is misaligned, which `clause` forbids, or if two
// overlap.
absl::Status CheckRingParts(absl::string_view clause,
                            absl::Span<const RingPart> parts);

}  // namespace virtqueue

#endif  // VIRTQUEUE_RING_PART_H_
