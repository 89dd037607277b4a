// captured_program.h: one end of a recorded conversation, step by step.
//
// The steps are system calls and waits, written down for each recording
// (captured_workloads.h) and carried out in virtual time over a loopback.
// Payloads are zeros: recordings are compared by their headers.

#ifndef SIM_CAPTURED_PROGRAM_H_
#define SIM_CAPTURED_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/actor.h"
#include "sim/chance.h"
#include "sim/loopback_sockets.h"
#include "sim/machines.h"
#include "sim/socket_layer.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

struct CapturedStep {
  enum class Kind : uint8_t {
    kSleepUntil,  // `at`; at once if that has passed
    kConnect,
    kAccept,
    kWrite,     // `bytes`
    kRead,      // exactly `bytes`, in as many calls as it takes
    kReadSome,  // one call of at most `bytes`
    kReadAll,   // calls of at most `bytes` each, up to the end of the stream,
                // `pause` after each
    kShutDown,  // `bytes` are the hints
    kClose,
  };
  Kind kind;
  uint32_t bytes = 0;
  vsock::Instant at{};
  vsock::Nanos pause{0};
};

class CapturedProgram final : public Task {
 public:
  struct Options {
    std::string name;
    SocketRef socket;     // to connect with, or the listener
    vsock::Address peer;  // to connect to
    std::vector<CapturedStep> steps;
  };

  // Both outlive the program.
  CapturedProgram(Machines& machines, LoopbackSockets& sockets,
                  Options options);

  void Start() { machines_.Wake(socket_.side, *this, chance_); }

  std::optional<vsock::Nanos> Run(vsock::Instant now) override;

  // Reads after which a credit update was sent although none was due, or the
  // other way about.
  uint32_t untimely_updates() const { return untimely_updates_; }

  bool done() const { return next_ == options_.steps.size(); }

 private:
  // Wakes its program at a point in time.
  class Alarm final : public Actor {
   public:
    explicit Alarm(CapturedProgram& owner)
        : Actor(owner.machines_.loop(), owner.options_.name), owner_(owner) {}
    void Set(vsock::Instant at) { WakeAt(at); }
    void OnWake(vsock::Instant) override { owner_.Start(); }

   private:
    CapturedProgram& owner_;
  };

  // What a step has come to: go on at once, pay what is owed, or sleep.
  enum class Turn : uint8_t { kGoOn, kPay, kSleep };

  Turn Do(const CapturedStep& step, vsock::Instant now);
  Turn DoSleepUntil(vsock::Instant at, vsock::Instant now);
  Turn DoConnect(vsock::Instant now);
  Turn DoAccept();
  Turn DoWrite(uint32_t bytes);
  Turn DoRead(const CapturedStep& step, vsock::Instant now);
  Turn Take(const CapturedStep& step, vsock::Instant now);
  vsock::ReceiveResult Receive();
  Turn Await(uint32_t events);
  Turn EndCall();
  Turn EndStep();

  Machines& machines_;
  LoopbackSockets& sockets_;
  const Options options_;
  Chance chance_;
  Alarm alarm_;
  SocketRef socket_;
  size_t next_ = 0;            // step
  bool begun_ = false;         // the step has made its first call
  vsock::Instant resumes_{0};  // after a pause between two reads
  bool paid_ = false;   // the call of a step has been paid, not carried out
  uint32_t done_ = 0;   // bytes of the step
  uint32_t piece_ = 0;  // bytes of the call
  uint32_t untimely_updates_ = 0;
  vsock::Nanos owed_{0};
};

}  // namespace sim

#endif  // SIM_CAPTURED_PROGRAM_H_
