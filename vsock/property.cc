#include "vsock/property.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace vsock {
namespace {

absl::string_view NameOf(Property property) {
  switch (property) {
    case Property::kCredit:
      return "stream credit";
    case Property::kStreamBytes:
      return "stream bytes";
    case Property::kConsumedBytes:
      return "consumed bytes";
    case Property::kDeadlock:
      return "deadlock";
    case Property::kLivelock:
      return "livelock";
    case Property::kMemory:
      return "memory";
    case Property::kDatagrams:
      return "datagrams";
    case Property::kSendCharges:
      return "send charges";
    case Property::kChains:
      return "chains";
    case Property::kNotifications:
      return "notifications";
    case Property::kConnections:
      return "connections";
  }
  return "unknown";
}

}  // namespace

absl::Status Breach(Property property, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("property ", static_cast<int>(property), ", ",
                   NameOf(property), ": ", what));
}

absl::Status Breach(Property property, const Transport& here,
                    const Socket& socket, absl::string_view what) {
  const uint32_t port = socket.port.has_value() ? socket.port->value() : 0;
  return Breach(property, absl::StrCat(what, " (cid ", here.cid().value(),
                                       ", port ", port, ")"));
}

}  // namespace vsock
