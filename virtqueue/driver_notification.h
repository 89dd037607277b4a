// driver_notification.h: what the driver says when it notifies the device.
//
// Spec: virtio 1.3, 2.9 "Driver Notifications"; 4.1.5.2 and 4.2.3.3 tell how
// PCI and MMIO carry it. When it is due: notification.h,
// packed_notification.h.
//
//   bits 0..15   the virtqueue's index, or what the device gave in its place
//   bits 16..30  next_off   } with VIRTIO_F_NOTIFICATION_DATA; without it
//   bit  31      next_wrap  } there are only the 16 bits below
//
// Trust: a notification is a hint. A device that decodes a wrong one looks at a
// queue in vain, or at none if there is no such index.
// Left out: the transport, which writes the number in little-endian order.

#ifndef VIRTQUEUE_DRIVER_NOTIFICATION_H_
#define VIRTQUEUE_DRIVER_NOTIFICATION_H_

#include <cstdint>
#include <optional>
#include <ostream>

namespace virtqueue {

// Where the driver writes the next entry that it makes available.
struct NextAvailable {
  uint16_t off = 0;   // 15 bits of the available idx; of a packed ring, a slot
  bool wrap = false;  // bit 15 of that idx; of a packed ring, its wrap counter

  // Both as the halves keep them: of a split ring that idx, of a packed one
  // offset and wrap counter as in event suppression, 2.8.10.
  static constexpr NextAvailable Of(uint16_t word) {
    return {.off = static_cast<uint16_t>(word & 0x7fff),
            .wrap = word >> 15 != 0};
  }
  constexpr uint16_t word() const {
    return static_cast<uint16_t>((off & 0x7fff) | (wrap ? 1 << 15 : 0));
  }

  bool operator==(const NextAvailable&) const = default;
};

struct DriverNotification {
  uint16_t queue = 0;                 // index, or what stands in its place
  std::optional<NextAvailable> next;  // with VIRTIO_F_NOTIFICATION_DATA

  bool operator==(const DriverNotification&) const = default;
};

// What was negotiated about the notifications of one virtqueue.
struct NotificationTerms {
  bool data = false;  // VIRTIO_F_NOTIFICATION_DATA
  // With VIRTIO_F_NOTIF_CONFIG_DATA: what the device gave for this queue.
  std::optional<uint16_t> config_data;

  // How wide the number is.
  uint32_t bits() const { return data ? 32 : 16; }

  // The number for the virtqueue `index`, whose driver is at `next`.
  uint32_t Encode(uint16_t index, const NextAvailable& next) const;

  // What such a number says. Bits beyond bits() are ignored.
  DriverNotification Decode(uint32_t number) const;
};

std::ostream& operator<<(std::ostream& out, const NextAvailable& next);
std::ostream& operator<<(std::ostream& out, const DriverNotification& said);

}  // namespace virtqueue

#endif  // VIRTQUEUE_DRIVER_NOTIFICATION_H_
