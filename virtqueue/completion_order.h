// completion_order.h: the chains that a device has, in the order in which they
// were made available, if it has to use them in that order.
//
// Spec: virtio 1.3, 6.2: with VIRTIO_F_IN_ORDER buffers are used in the order
// in which they were available; 2.7.9 and 2.8.8 "In-order use of descriptors":
// one used entry stands for a batch, and the driver takes all of the batch but
// the last for completely used.
// Trust: the numbers here come from the device half, not from shared memory.
//
// A chain that is completed before its turn waits here. A batch is as long as
// what it says is true: it ends with the first chain that was not completely
// used, for the length of that one has to be told.

#ifndef VIRTQUEUE_COMPLETION_ORDER_H_
#define VIRTQUEUE_COMPLETION_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace virtqueue {

class CompletionOrder {
 public:
  struct Completed {
    uint16_t id = 0;       // what the used entry says
    uint16_t slots = 0;    // of a packed ring that the chain takes
    uint32_t written = 0;  // bytes
    bool whole = false;    // all of its writable bytes, if it has any

    bool operator==(const Completed&) const = default;
  };

  struct Waiting {  // a chain that is completed
    uint16_t turn = 0;
    Completed completed;

    bool operator==(const Waiting&) const = default;
  };

  struct Batch {  // one used entry
    uint16_t id = 0;
    uint32_t written = 0;  // of the last chain
    uint32_t chains = 0;
    uint32_t slots = 0;
  };

  // There are never more than `size` chains here.
  explicit CompletionOrder(uint16_t size) : places_(size) {}

  // The turn of the chain that became available next.
  uint16_t Enter();

  // Once for each turn.
  void Complete(uint16_t turn, const Completed& completed);

  // Takes out the longest batch that begins with the oldest chain; none while
  // that one is not completed.
  std::optional<Batch> TakeBatch();

  // Chains completed and not yet taken out.
  uint32_t completed() const { return completed_; }

  // All that is known, but for the chains that are not completed.
  uint16_t oldest() const { return oldest_; }
  std::vector<Waiting> Save() const;
  // Becomes that, with `chains` altogether.
  void SetTo(uint16_t oldest, uint16_t chains,
             const std::vector<Waiting>& waiting);

 private:
  struct Place {
    bool done = false;
    Completed completed;
  };

  uint16_t After(uint16_t turn) const {
    return static_cast<uint16_t>(turn + 1u == places_.size() ? 0 : turn + 1);
  }

  std::vector<Place> places_;  // by turn
  uint16_t next_ = 0;          // to enter
  uint16_t oldest_ = 0;
  uint32_t entered_ = 0;  // and not yet taken out
  uint32_t completed_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_COMPLETION_ORDER_H_
