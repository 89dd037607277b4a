// model_packets.h: the packets that vsock/driver.h sends for the calls that the
// cases in the guest make (guest/packet_cases.h), to the same services of the
// same device.

#ifndef TESTS_REAL_GUEST_MODEL_PACKETS_H_
#define TESTS_REAL_GUEST_MODEL_PACKETS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace vsock::real_guest {

// The names of these cases: those that are alike, and the one that is not
// (docs/model.md).
inline constexpr absl::string_view kPacketCases[] = {
    "packets_of_echo",
    "packets_of_refusal",
    "packets_of_guests_half_close",
    "packets_of_hosts_half_close",
    "packets_of_slow_reader",
    "packets_of_stalled_writer"};

inline constexpr absl::string_view kRaisedMarkCase = "packets_of_raised_mark";

// Of that case, each as the guest prints it: "op 1 len 0 flags 0 buf_alloc
// 262144 fwd_cnt 0".
std::vector<std::string> ModelPackets(absl::string_view name);

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_MODEL_PACKETS_H_
