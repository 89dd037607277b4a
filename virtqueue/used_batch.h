// used_batch.h: what the device has used by one entry, and the driver has not
// yet handed out.
//
// Spec: virtio 1.3, 2.7.9 and 2.8.8 "In-order use of descriptors": the entry is
// of the last chain of the batch; the ones before count as completely used.

#ifndef VIRTQUEUE_USED_BATCH_H_
#define VIRTQUEUE_USED_BATCH_H_

#include <cstdint>

namespace virtqueue {

class UsedBatch {
 public:
  UsedBatch() = default;
  // Of the last of `chains` chains `last_len` bytes were written.
  UsedBatch(uint32_t chains, uint32_t last_len)
      : left_(chains), last_len_(last_len) {}

  bool empty() const { return left_ == 0; }
  uint32_t left() const { return left_; }
  uint32_t last_len() const { return last_len_; }

  // Takes one chain out; the used length of it, if it can hold so much.
  uint32_t TakeLen(uint32_t writable_bytes) {
    return --left_ == 0 ? last_len_ : writable_bytes;
  }

 private:
  uint32_t left_ = 0;
  uint32_t last_len_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_USED_BATCH_H_
