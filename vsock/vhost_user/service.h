// service.h: what a built-in service does with a connection or a datagram.
//
//   echo      sends back what it gets; closes once the guest sends no more
//   discard   reads and forgets; closes once the guest sends no more
//   source    sends bytes, that of offset i being i mod 251, as long as the
//             guest takes them, and forgets what it gets; with an argument it
//             half-closes after so many bytes and reads on
//   close     closes what it accepts, at once
//   slow      discard that reads at most so many bytes a second (1 MiB without
//             an argument), a sixteenth of them sixteen times
//
// Echo and discard serve datagrams, too. A service keeps no bytes: what it
// can't send it does not read, so the guest waits for credit.

#ifndef VSOCK_VHOST_USER_SERVICE_H_
#define VSOCK_VHOST_USER_SERVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock::vhost_user {

enum class ServiceKind { kEcho, kDiscard, kSource, kClose, kSlow };

struct ServiceSpec {
  ServiceKind kind;
  Port port;
  std::optional<uint64_t> argument;  // source: bytes; slow: bytes a second
};

inline constexpr absl::string_view kDefaultServices =
    "echo:1000,discard:1001,source:1002,close:1003,slow:1004";

// "echo:1000,source:1002:65536"; nothing is no service. InvalidArgument names
// what can't be read, or the port that is given twice.
absl::StatusOr<std::vector<ServiceSpec>> ParseServices(absl::string_view text);

class Service {
 public:
  // What a socket waits for when its service has done what it can.
  struct Next {
    bool over = false;          // it is to be closed
    bool again = false;         // there is more to do
    uint32_t events = 0;        // or one of these
    std::optional<Instant> at;  // or this time
  };

  static std::unique_ptr<Service> Create(const ServiceSpec& spec);
  virtual ~Service() = default;

  // Goes on with a connection. `progress` is of that connection and begins
  // with 0.
  virtual Next Serve(Transport& transport, SocketId connection,
                     uint64_t& progress, Instant now) = 0;

  virtual bool takes_datagrams() const { return false; }
  virtual Next ServeDatagrams(Transport& transport, SocketId socket);
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_SERVICE_H_
