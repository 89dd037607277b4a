// vsock_pair.h: a guest and a host that meet in real rings, and their workers,
// run one step at a time: all in turn by Run, or each by itself by Step.

#ifndef TESTS_SUPPORT_VSOCK_PAIR_H_
#define TESTS_SUPPORT_VSOCK_PAIR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "tests/support/wire_log.h"
#include "vsock/effects.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/properties.h"
#include "vsock/queue.h"
#include "vsock/units.h"

namespace vsock {

inline constexpr Cid kTestGuestCid{3};

enum class Side { kGuest, kHost };
constexpr Side Other(Side side) {
  return side == Side::kGuest ? Side::kHost : Side::kGuest;
}

// In the order in which Run lets them step.
enum class Worker { kReclaim, kSend, kDevice, kRx };
inline constexpr std::array<Worker, 4> kAllWorkers = {
    Worker::kReclaim, Worker::kSend, Worker::kDevice, Worker::kRx};

class VsockPair {
 public:
  struct Options {
    Guest::Options guest;
    Host::Options host;
    uint32_t packet_weight = 256;
    uint32_t byte_weight = 512 << 10;
  };
  // Stream and datagram negotiated on both sides, real payloads.
  static Options Defaults();

  explicit VsockPair(const Options& options = Defaults());

  // Lets every worker that is not paused run, one step at a time in turn, until
  // all sleep. Returns the ledger of all steps. Stops the test program if that
  // takes more than `limit` rounds: a livelock.
  Work Run(uint64_t limit = 10'000'000) {
    return RunWatched([] {}, limit);
  }
  // The same, with a look at the pair after each step.
  Work RunWatched(absl::FunctionRef<void()> after_step,
                  uint64_t limit = 10'000'000);

  // The same by hand. TakeUp handles time-outs that are due and shows the
  // workers what the sockets have put on the send lists; Step is for a worker
  // that has something to do.
  Work TakeUp();
  bool HasWork(Worker worker) const { return pending_[Index(worker)]; }
  Work Step(Worker worker);

  // A paused worker sleeps through Run.
  void Pause(Worker worker) { paused_[Index(worker)] = true; }
  void Resume(Worker worker) { paused_[Index(worker)] = false; }

  // An interrupt or a kick that nobody owed.
  void WakeSpuriously(Worker worker) { pending_[Index(worker)] = true; }

  // The driver resets a queue (VIRTIO_F_RING_RESET), or both (the device), and
  // sets it up again. Not with RecordWire.
  void ResetQueue(Queue queue);
  void ResetDevice();

  // From now on, what crosses the rings is in wire().
  void RecordWire();
  WireLog& wire() { return *wire_; }

  // Time that the model is told. Deadlines that are due are handled by Run.
  void Advance(Nanos by) { now_ = now_ + by; }
  Instant now() const { return now_; }

  Guest& guest() { return *guest_; }
  Host& host() { return *host_; }
  Device& device() { return *device_; }
  Transport& guest_sockets() { return guest_->transport(); }
  Transport& host_sockets() { return host_->transport(); }
  Transport& sockets(Side side) {
    return side == Side::kGuest ? guest_sockets() : host_sockets();
  }
  Address address(Side side, Port port) { return {sockets(side).cid(), port}; }

 private:
  static size_t Index(Worker worker) { return static_cast<size_t>(worker); }
  void Apply(const Effects& effects);
  void StopQueue(Queue queue);
  void RestartQueue(Queue queue);
  Effects StepOf(Worker worker);
  void Look();
  bool HasWorkAnywhere() const;
  static void Expect(const absl::Status& property);

  std::unique_ptr<Guest> guest_;
  std::unique_ptr<Host> host_;
  Device* device_;
  std::optional<Properties> properties_;  // checked after every step
  std::optional<WireLog> wire_;
  Instant now_;
  std::array<bool, kAllWorkers.size()> pending_ = {};
  std::array<bool, kAllWorkers.size()> paused_ = {};
};

}  // namespace vsock

#endif  // TESTS_SUPPORT_VSOCK_PAIR_H_
