// captured_workloads.h: what the programs did that were recorded.
//
// Recordings: Linux 6.1 (Debian 12) on an emulated machine, vsock_loopback, a
// vsockmon interface; sim/scenarios/captures/. The steps are those of the two
// programs, read off the recordings; times are of the recording, since its
// first packet. Where a size of a read cannot be seen, the comment says what
// was taken.

#ifndef SIM_CAPTURED_WORKLOADS_H_
#define SIM_CAPTURED_WORKLOADS_H_

#include <optional>
#include <string>
#include <vector>

#include "sim/captured_program.h"
#include "vsock/units.h"

namespace sim {

struct CapturedWorkload {
  enum class Order {
    kFixed,      // each packet answers the one before: compared one by one
    kScheduled,  // programs run freely: compared by counts
    kUnknown,    // cannot be run: no such sockets in the model
  };

  std::string name;  // of the file, without its ending
  Order order = Order::kUnknown;
  vsock::Port port{};  // connected to; nobody listens if there are no steps
  std::vector<CapturedStep> client;
  std::vector<CapturedStep> server;
  // The client writes no earlier than the recorded packets went by. What the
  // machine of the recording took to write and to read is not what the model's
  // costs say, and whether the reader keeps up decides what it announces.
  bool at_recorded_pace = false;
  // A packet of a type without sockets here is put on the wire at this time.
  std::optional<vsock::Instant> seqpacket_request_at;
};

// In the order in which a table shows them.
std::vector<CapturedWorkload> CapturedWorkloads();

}  // namespace sim

#endif  // SIM_CAPTURED_WORKLOADS_H_
