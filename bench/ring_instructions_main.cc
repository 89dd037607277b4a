// ring_instructions: so many buffers through one ring, and no more; for
// bench/ring_instructions.sh, which counts instructions under callgrind.

#include <cstdint>
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "bench/ring_pair.h"
#include "virtqueue/ring_format.h"

ABSL_FLAG(uint32_t, buffers, 1'000'000, "How many buffers go all the way");
ABSL_FLAG(uint32_t, depth, 32, "How many are added, used, collected together");
ABSL_FLAG(uint32_t, descriptors, 1, "How many a buffer takes");
ABSL_FLAG(bool, indirect, false, "They are in a table; VIRTIO_F_INDIRECT_DESC");
ABSL_FLAG(bool, packed, false, "A packed ring; VIRTIO_F_RING_PACKED");
ABSL_FLAG(bool, event_idx, false, "VIRTIO_F_EVENT_IDX is negotiated");

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const uint32_t buffers = absl::GetFlag(FLAGS_buffers);
  const uint32_t depth = absl::GetFlag(FLAGS_depth);
  bench::RingPair ring(
      {.format = absl::GetFlag(FLAGS_packed) ? virtqueue::RingFormat::kPacked
                                             : virtqueue::RingFormat::kSplit,
       .descriptors = static_cast<uint16_t>(absl::GetFlag(FLAGS_descriptors)),
       .indirect = absl::GetFlag(FLAGS_indirect),
       .event_idx = absl::GetFlag(FLAGS_event_idx)});

  for (uint32_t done = 0; done < buffers; done += depth) ring.Round(depth);

  std::printf("kicks %llu interrupts %llu\n",
              static_cast<unsigned long long>(ring.kicks()),
              static_cast<unsigned long long>(ring.interrupts()));
  return 0;
}
