// property.h: what a run can be held to, by number, and how a breach is told.
//
// The numbers and what each means: properties.h.

#ifndef VSOCK_PROPERTY_H_
#define VSOCK_PROPERTY_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vsock/socket.h"
#include "vsock/transport.h"

namespace vsock {

enum class Property {
  kCredit = 1,
  kStreamBytes,
  kConsumedBytes,
  kDeadlock,
  kLivelock,
  kMemory,
  kDatagrams,
  kSendCharges,
  kChains,
  kNotifications,
  kConnections,
};

// FailedPrecondition, with the property's number and name; and the socket.
absl::Status Breach(Property property, absl::string_view what);
absl::Status Breach(Property property, const Transport& here,
                    const Socket& socket, absl::string_view what);

}  // namespace vsock

#endif  // VSOCK_PROPERTY_H_
