// driver_terms.h: what the driver's half of a virtqueue is told and answers,
// whichever format the ring has.

#ifndef VIRTQUEUE_DRIVER_TERMS_H_
#define VIRTQUEUE_DRIVER_TERMS_H_

#include <cstdint>
#include <optional>

#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

struct DriverTerms {
  struct Options {
    uint16_t size = 0;       // N
    bool event_idx = false;  // VIRTIO_F_EVENT_IDX was negotiated
    bool indirect = false;   // VIRTIO_F_INDIRECT_DESC was negotiated
    bool in_order = false;   // VIRTIO_F_IN_ORDER was negotiated
    // With `indirect`: from here on, N tables of so many descriptors each. A
    // chain of 2 to that many descriptors takes a table, any other none.
    GuestAddr indirect_tables = GuestAddr(0);
    uint16_t indirect_table_entries = 0;

    uint64_t IndirectBytes() const {  // what the tables take
      return uint64_t{size} * indirect_table_entries * kDescriptorBytes;
    }
  };

  struct Buffer {  // one descriptor
    GuestAddr addr = GuestAddr(0);
    uint32_t len = 0;
  };

  enum class AddResult {
    kAdded,
    kNoRoom,   // too few free descriptors: collect first
    kRefused,  // no lawful chain: of no descriptors, of more than N
               // (2.7.5.3.1, 2.8.17), or of more than 2^32 bytes (2.7.5.2)
    kBroken,   // the queue is quarantined
  };

  struct Used {
    uint64_t token = 0;
    uint32_t len = 0;  // so many writable bytes were written, at least
  };

  // What the halves give: a Used or none, in two registers.
  struct Collected {
    static Collected None() { return {}; }
    std::optional<Used> used() const {
      if (!any) return std::nullopt;
      return Used{.token = token, .len = len};
    }

    uint64_t token = 0;
    uint32_t len = 0;
    bool any = false;
  };
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_TERMS_H_
