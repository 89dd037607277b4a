#include "virtqueue/driver_notification.h"

namespace virtqueue {

uint32_t NotificationTerms::Encode(uint16_t index,
                                   const NextAvailable& next) const {
  const uint32_t queue = config_data.value_or(index);
  if (!data) return queue;
  return queue | uint32_t{next.word()} << 16;
}

DriverNotification NotificationTerms::Decode(uint32_t number) const {
  DriverNotification said = {.queue = static_cast<uint16_t>(number)};
  if (data) said.next = NextAvailable::Of(static_cast<uint16_t>(number >> 16));
  return said;
}

std::ostream& operator<<(std::ostream& out, const NextAvailable& next) {
  return out << "next_off " << next.off << " next_wrap " << next.wrap;
}

std::ostream& operator<<(std::ostream& out, const DriverNotification& said) {
  out << "queue " << said.queue;
  if (said.next.has_value()) out << ' ' << *said.next;
  return out;
}

}  // namespace virtqueue
