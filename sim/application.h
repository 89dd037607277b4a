// application.h: a process with one socket that carries out a program.
//
// A call is a burst: what it costs is paid first, and its effect is visible at
// its end. What follows the effect (the kick of a send, the credit update of a
// read) is paid together with the next call, so that a message costs one event
// at either end.
//
//   kStart -> kConnecting -> kNext <-> kAdmit -> kHandOver   (send)
//                              ^-----> kAwait -> kTake       (receive)
//                              ^-----> kSleep
//                              +-----> kDone
//
//   kStart       nothing happened; a stream sender connects.
//   kConnecting  sleeps for the end of the handshake.
//   kNext        asks the program.
//   kAdmit       a piece of the message seeks admission; may sleep for it.
//   kHandOver    the admitted piece is paid; hand it to the layer below.
//   kAwait       sleeps until there is something to read.
//   kTake        the read is paid; take the bytes.
//   kSleep       until a point in time.
//   kDone        closed.

#ifndef SIM_APPLICATION_H_
#define SIM_APPLICATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/actor.h"
#include "sim/chance.h"
#include "sim/conversation.h"
#include "sim/machines.h"
#include "sim/program.h"
#include "sim/scenario.pb.h"
#include "sim/side.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "sim/work_pool.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace sim {

class Application final : public Task {
 public:
  // One end of a stream: what it sends and what it receives. A datagram
  // receiver has neither; it hears many senders.
  struct Ends {
    Direction* sends = nullptr;
    Direction* receives = nullptr;
  };

  struct Options {
    std::string name;
    SocketRef socket;
    Scenario::Flow::Type type;
    std::unique_ptr<Program> program;
    Ends ends;
    FlowBook* book = nullptr;            // where its processor time goes
    bool is_sender = false;              // of the flow: a client
    std::optional<vsock::Address> peer;  // whom a sender addresses
    Side sender_side = Side::kGuest;     // whom a datagram receiver hears
    bool connects = false;               // a stream sender
    WorkPool::Account* pool = nullptr;   // of a program that delegates
  };

  // Both outlive the application.
  Application(Machines& machines, SocketLayer& layer, Options options);

  // Begins at `at`; a receiver begins at once.
  void StartAt(vsock::Instant at) { alarm_.Set(at); }
  void Start() { machines_.Wake(side(), *this, chance_); }

  std::optional<vsock::Nanos> Run(vsock::Instant now) override;

  // The run is over: what is still blocked has been so until now.
  void Finish() { EndBlock(machines_.now()); }

 private:
  enum class Phase : uint8_t {
    kStart,
    kConnecting,
    kNext,
    kAdmit,
    kHandOver,
    kAwait,
    kTake,
    kSleep,
    kDone,
  };

  // Wakes its application at a point in time.
  class Alarm final : public Actor {
   public:
    explicit Alarm(Application& owner)
        : Actor(owner.machines_.loop(), owner.options_.name), owner_(owner) {}
    void Set(vsock::Instant at) { WakeAt(at); }
    void OnWake(vsock::Instant) override { owner_.Start(); }

   private:
    Application& owner_;
  };

  // What Run does next: go on in the same instant, pay what is owed, or sleep.
  enum class Step : uint8_t { kGoOn, kPay, kSleep };

  Step DoStart(vsock::Instant now);
  Step DoConnecting();
  Step DoNext(vsock::Instant now);
  Step DoAdmit(vsock::Instant now);
  Step Refused(vsock::Instant now);
  Step DoHandOver();
  Step DoAwait();
  Step DoTake(vsock::Instant now);
  Step DoSleep(vsock::Instant now);
  Step AwaitWork();
  Step Close(vsock::Instant now, bool broken);

  const std::byte* Compose();
  void ComposeAll();
  void OnStreamBytes(vsock::Instant now, uint32_t bytes);
  void OnDatagram(vsock::Instant now, const vsock::ReceiveResult& result);
  bool CarriesPattern(const Stamp& stamp, uint32_t bytes) const;
  vsock::Nanos Pay(vsock::Instant now);
  void EndBlock(vsock::Instant now);
  bool WouldSleep(uint32_t events) {
    return !layer_.Sleep(options_.socket, events, *this, chance_);
  }
  bool payload_is_real() const {
    return machines_.scenario().payload() == Scenario::REAL;
  }
  Side side() const { return options_.socket.side; }
  bool is_datagram() const { return options_.type == Scenario::Flow::DGRAM; }

  Machines& machines_;
  SocketLayer& layer_;
  Options options_;
  Chance chance_;
  Alarm alarm_;
  Phase phase_ = Phase::kStart;
  vsock::Nanos owed_{0};  // for the burst that is being put together
  vsock::Nanos work_{0};  // of this, the program's own
  uint32_t message_ = 0;  // bytes of the message that is sent or received
  uint32_t left_ = 0;     // of it, to go
  uint32_t piece_ = 0;    // of it, admitted or about to be taken
  bool exactly_ = false;  // kReceive: go on until nothing is left
  bool continued_ = false;
  bool composed_ = false;   // buffer_ holds the message that is sent
  bool goes_on_ = false;    // the read that is paid may take more
  bool in_read_ = false;    // it does: what follows is no new system call
  vsock::Instant started_;  // the send call
  vsock::Instant sleeps_till_;
  vsock::Blocked blocked_ = vsock::Blocked::kNo;
  vsock::Instant blocked_since_;
  vsock::Nanos ring_wait_before_{0};
  std::vector<std::byte> buffer_;
};

}  // namespace sim

#endif  // SIM_APPLICATION_H_
