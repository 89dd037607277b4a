// proposal.h: a published datagram draft is a named bundle of values.
//
// Nothing in the data path asks which proposal it serves; it is handed the
// values. docs/proposals.md has a row for each.

#ifndef VSOCK_POLICY_PROPOSAL_H_
#define VSOCK_POLICY_PROPOSAL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "vsock/hdr.h"
#include "vsock/truesize.h"

namespace vsock {

// What a datagram costs its sender's SO_SNDBUF while it is below the socket.
enum class SendCharge {
  kTruesize,      // Linux RFC v1..v5, 2023: the memory of the socket buffer
  kPayloadBytes,  // Linux series of 2026: an empty message costs nothing
};

constexpr uint32_t ChargeFor(SendCharge rule, uint32_t payload) {
  return rule == SendCharge::kTruesize ? TrueSize(kHdrBytes + payload)
                                       : payload;
}

struct Proposal {
  absl::string_view name;
  SendCharge send_charge;
};

inline constexpr Proposal kLinux2023 = {.name = "linux-2023",
                                        .send_charge = SendCharge::kTruesize};
inline constexpr Proposal kLinux2026 = {
    .name = "linux-2026", .send_charge = SendCharge::kPayloadBytes};

absl::Span<const Proposal> AllProposals();

// NotFound names the proposals there are.
absl::StatusOr<Proposal> FindProposal(absl::string_view name);

}  // namespace vsock

#endif  // VSOCK_POLICY_PROPOSAL_H_
