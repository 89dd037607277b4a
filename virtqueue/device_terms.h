// device_terms.h: what the device's half of a virtqueue is told and answers,
// whichever format the ring has.

#ifndef VIRTQUEUE_DEVICE_TERMS_H_
#define VIRTQUEUE_DEVICE_TERMS_H_

#include <cstdint>

namespace virtqueue {

struct DeviceTerms {
  struct Options {
    uint16_t size = 0;       // N
    bool event_idx = false;  // VIRTIO_F_EVENT_IDX was negotiated
    bool indirect = false;   // VIRTIO_F_INDIRECT_DESC was negotiated
    bool in_order = false;   // VIRTIO_F_IN_ORDER was negotiated
  };

  enum class PopResult {
    kChain,   // `chain` is the next available one, to be completed once
    kEmpty,   // nothing is available
    kBroken,  // the ring broke a rule
  };
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_DEVICE_TERMS_H_
