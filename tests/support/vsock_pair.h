// vsock_pair.h: a guest and a host that meet in real rings, and a loop that
// runs every worker until nothing is left to do.

#ifndef TESTS_SUPPORT_VSOCK_PAIR_H_
#define TESTS_SUPPORT_VSOCK_PAIR_H_

#include <cstdint>
#include <memory>

#include "vsock/effects.h"
#include "vsock/guest.h"
#include "vsock/host.h"
#include "vsock/units.h"

namespace vsock {

inline constexpr Cid kTestGuestCid{3};

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

  // Lets every worker run, one step at a time in turn, until all sleep.
  // Returns the ledger of all steps. Stops the test program if that takes more
  // than `limit` rounds: a livelock.
  Work Run(uint64_t limit = 10'000'000);

  // Time that the model is told. Deadlines that are due are handled by Run.
  void Advance(Nanos by) { now_ = now_ + by; }
  Instant now() const { return now_; }

  Guest& guest() { return *guest_; }
  Host& host() { return *host_; }
  Device& device() { return *device_; }
  Transport& guest_sockets() { return guest_->transport(); }
  Transport& host_sockets() { return host_->transport(); }

 private:
  void Apply(const Effects& effects);

  std::unique_ptr<Guest> guest_;
  std::unique_ptr<Host> host_;
  Device* device_;
  Instant now_;
  Work total_;
  bool send_work_ = false;
  bool rx_work_ = false;
  bool reclaim_ = false;
  bool device_work_ = false;
};

}  // namespace vsock

#endif  // TESTS_SUPPORT_VSOCK_PAIR_H_
