#include "vsock/policy/proposal.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace vsock {

absl::Span<const Proposal> AllProposals() {
  static constexpr Proposal kAll[] = {kLinux2023, kLinux2026};
  return kAll;
}

absl::StatusOr<Proposal> FindProposal(absl::string_view name) {
  for (const Proposal& proposal : AllProposals()) {
    if (proposal.name == name) return proposal;
  }
  const std::string names = absl::StrJoin(
      AllProposals(), ", ", [](std::string* out, const Proposal& proposal) {
        absl::StrAppend(out, proposal.name);
      });
  return absl::NotFoundError(
      absl::StrCat("no proposal \"", name, "\"; there are ", names));
}

}  // namespace vsock
