// scene.h: what is explored.

#ifndef TESTS_EXPLORER_SCENE_H_
#define TESTS_EXPLORER_SCENE_H_

#include <cstdint>
#include <string>

#include "virtqueue/ring_format.h"

namespace virtqueue {

enum class Shape : uint8_t {  // of each chain
  kRequest,                   // one descriptor, the device reads it
  kReply,                     // one descriptor, the device writes it
  kBoth,                      // one of each
};

enum class DeviceStart : uint8_t {
  kRunning,  // looks into the ring and then sleeps if there is nothing
  kEnabled,  // the same once it is enabled; what came before is forgotten
  kWaiting,  // sleeps once it is enabled: wrong, a kick may have come before
};

struct Scene {
  RingFormat format = RingFormat::kSplit;
  bool event_idx = false;  // else by flags
  uint16_t size = 2;
  Shape shape = Shape::kReply;
  uint16_t buffers = 2;
  uint16_t batch = 1;     // buffers published at a time, by either half
  bool delayed = false;   // EnableNotificationsDelayed in the driver
  bool polling = false;   // the driver never asks for notifications
  bool in_order = false;  // VIRTIO_F_IN_ORDER
  bool indirect = false;  // VIRTIO_F_INDIRECT_DESC, and chains of two use it
  uint32_t before = 0;    // buffers that went round before
  uint8_t spurious = 0;   // notifications that no half sends
  DeviceStart start = DeviceStart::kRunning;

  // Of each chain, and those of the ring that it takes.
  uint16_t descriptors() const { return shape == Shape::kBoth ? 2 : 1; }
  uint16_t slots() const { return indirect ? 1 : descriptors(); }
  bool has_request() const { return shape != Shape::kReply; }
  bool has_reply() const { return shape != Shape::kRequest; }
};

// "split ring of 2, event index, 2 buffers, batches of 1, written by the
// device"
std::string SceneText(const Scene& scene);

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_SCENE_H_
