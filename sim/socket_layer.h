// socket_layer.h: what the system calls of a flow's applications reach.
//
// A socket layer moves messages between two address spaces: virtio-vsock, or
// one of the systems that sim/peers/ compares with it. An application
// (application.h) knows nothing of which it is. One object serves both sides.
//
// A call is paid before its effect. Sending is BeginSend (admission, charge and
// copy), Charge, and when that is paid EndSend; receiving is PlanRead, Charge,
// and when that is paid Receive; FinishCall after either notifies whom it must
// and says what that costs. Nothing here blocks: a call that would says so, and
// Sleep notes who is to be woken.
//
// Statuses of calls begin with the errno that the system modelled gives.

#ifndef SIM_SOCKET_LAYER_H_
#define SIM_SOCKET_LAYER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sim/chance.h"
#include "sim/flow_book.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/task.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

// A socket: ids are counted on each side by itself.
struct SocketRef {
  Side side = Side::kGuest;
  vsock::SocketId id;
};

// Events of a socket that a task can sleep for: vsock/connection.h has the
// bits (kReadable, kWritable, kConnected, kAcceptable).

// What the next receive call would take.
struct ReadPlan {
  uint32_t bytes = 0;
  vsock::Work work;  // of the call, up to the copy
  // The same call goes on if there is more to read and room for it.
  bool goes_on = false;
};

// Counters of a layer that only grow; a window is the difference of two.
struct LayerCounters {
  // Processor time of a worker, or of several with one name.
  struct Workers {
    std::string name;
    uint32_t servers = 1;
    vsock::Nanos busy{0};
  };

  vsock::Work work;
  uint64_t credit_updates = 0;
  uint64_t worker_wakeups = 0;  // of the device's workers, from idle
  uint64_t ring_messages = 0;   // chains through real rings
  uint64_t laws_checked = 0;
  std::vector<Workers> workers;
};

class SocketLayer {
 public:
  // Who sends from an address: sender `index` of a flow.
  struct Origin {
    FlowBook* book = nullptr;
    uint32_t index = 0;
  };

  SocketLayer() = default;
  SocketLayer(const SocketLayer&) = delete;
  SocketLayer& operator=(const SocketLayer&) = delete;
  virtual ~SocketLayer() = default;

  // Opens a socket for an end of `flow`, sizes its buffers as the flow says and
  // binds it; port 0 is any. Errors: EADDRINUSE and whatever the layer refuses.
  virtual absl::StatusOr<vsock::SocketId> Open(Side side,
                                               const Scenario::Flow& flow,
                                               uint32_t port, bool sends) = 0;
  virtual vsock::Address LocalAddress(SocketRef socket) const = 0;

  // Connections. A layer of datagrams alone answers EOPNOTSUPP.
  virtual absl::Status Listen(SocketRef socket, uint32_t backlog) = 0;
  virtual absl::StatusOr<vsock::SocketId> Accept(SocketRef listener) = 0;
  virtual vsock::Address PeerAddress(SocketRef connection) const = 0;
  virtual absl::Status Connect(SocketRef socket, vsock::Address peer,
                               vsock::Instant now) = 0;
  virtual absl::Status ConnectStatus(SocketRef socket) const = 0;
  virtual absl::Status Close(SocketRef socket, vsock::Instant now) = 0;

  // Sending. A datagram that is refused with ENOBUFS (ResourceExhausted) is
  // lost and its sender was told; any other error ends the flow.
  virtual vsock::SendResult BeginSend(SocketRef socket,
                                      const vsock::Message& message) = 0;
  virtual void EndSend(SocketRef socket) = 0;

  // Receiving. `max` is what is left of the caller's buffer; Receive takes
  // what PlanRead said.
  virtual ReadPlan PlanRead(SocketRef socket, uint32_t max) const = 0;
  virtual vsock::ReceiveResult Receive(SocketRef socket, std::byte* out,
                                       uint32_t max) = 0;

  // Readiness. Sleep: true if one of `events` holds already and nothing was
  // noted; else `task` is woken when one may have come true.
  virtual bool IsReady(SocketRef socket, uint32_t events) const = 0;
  virtual bool Sleep(SocketRef socket, uint32_t events, Task& task,
                     Chance& chance) = 0;

  // What the ledger of a call costs an application on that side.
  virtual vsock::Nanos Charge(SocketRef socket, const vsock::Work& work,
                              Chance& chance) = 0;
  // What the call did beyond the ledger it was charged for, and its price.
  virtual vsock::Nanos FinishCall(SocketRef socket, const vsock::Work& work,
                                  Chance& chance) = 0;

  // Time until now in which sends of `side` waited for a place in a ring.
  virtual vsock::Nanos RingWait(Side) const { return vsock::Nanos(0); }

  virtual LayerCounters Counters() const = 0;

  // Operational laws and properties at the end of a run.
  virtual absl::Status Check() = 0;

  // Packets from `source` belong to `origin`.
  void Register(Side side, Scenario::Flow::Type type, vsock::Port source,
                Origin origin) {
    origins_[static_cast<size_t>(side)][Key(type, source)] = origin;
  }
  const Origin* FindOrigin(Side side, Scenario::Flow::Type type,
                           vsock::Port source) const {
    const auto& origins = origins_[static_cast<size_t>(side)];
    const auto it = origins.find(Key(type, source));
    return it == origins.end() ? nullptr : &it->second;
  }

 private:
  static uint64_t Key(Scenario::Flow::Type type, vsock::Port port) {
    return static_cast<uint64_t>(type) << 32 | port.value();
  }

  std::array<absl::flat_hash_map<uint64_t, Origin>, kSides> origins_;
};

}  // namespace sim

#endif  // SIM_SOCKET_LAYER_H_
