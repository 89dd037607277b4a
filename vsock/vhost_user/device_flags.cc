#include "vsock/vhost_user/device_flags.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "sim/arguments.h"
#include "vsock/policy/proposal.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/service.h"

namespace vsock::vhost_user {
namespace {

struct RingFeature {
  absl::string_view name;
  uint64_t bit;
};

constexpr std::array kRingFeatures = {
    RingFeature{"event_idx", kEventIdx},
    RingFeature{"indirect", kIndirectDesc},
    RingFeature{"packed", kRingPacked},
    RingFeature{"in_order", kInOrder},
};

std::string Names() {
  return absl::StrJoin(kRingFeatures, ",",
                       [](std::string* out, const RingFeature& feature) {
                         absl::StrAppend(out, feature.name);
                       });
}

std::string ProposalNames() {
  return absl::StrJoin(AllProposals(), ", ",
                       [](std::string* out, const Proposal& proposal) {
                         absl::StrAppend(out, proposal.name);
                       });
}

std::vector<sim::FlagSpec> Flags() {
  return {
      {"socket", "PATH", "where front ends connect; required"},
      {"cid", "N", "the guest's context id; default 3"},
      {"proposal", "NAME",
       absl::StrCat("offer datagrams as in this draft (", ProposalNames(),
                    "); default: offer none")},
      {"ring-features", "LIST",
       absl::StrCat("what is offered of ", Names(),
                    "; default: all; \"none\" for none")},
      {"services", "LIST",
       absl::StrCat("NAME:PORT[:NUMBER] of echo, discard, source, close, "
                    "slow; default ",
                    kDefaultServices, "; \"none\" for none")},
      {"forward", "PATH",
       "carry connections to port N on to the AF_UNIX socket PATH_N, and from "
       "PATH, after \"CONNECT N\", to port N of the guest; default: no"},
      {"help", "", "this"},
  };
}

absl::StatusOr<uint64_t> ParseRingFeatures(absl::string_view text) {
  uint64_t bits = 0;
  if (text == "none") return bits;
  for (absl::string_view name : absl::StrSplit(text, ',')) {
    const auto* found = std::find_if(
        kRingFeatures.begin(), kRingFeatures.end(),
        [&](const RingFeature& feature) { return feature.name == name; });
    if (found == kRingFeatures.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--ring-features: \"", name, "\" is none of ", Names()));
    }
    bits |= found->bit;
  }
  return bits;
}

absl::Status ReadProposal(const sim::Arguments& arguments,
                          Server::Options& options) {
  const absl::optional<std::string> name = arguments.Text("proposal");
  if (!name.has_value()) return absl::OkStatus();
  const absl::StatusOr<Proposal> proposal = FindProposal(*name);
  if (!proposal.ok()) return proposal.status();
  options.proposal = *proposal;
  return absl::OkStatus();
}

absl::Status ReadServices(const sim::Arguments& arguments,
                          Server::Options& options) {
  const std::string text =
      arguments.Text("services").value_or(std::string(kDefaultServices));
  if (text == "none") return absl::OkStatus();
  absl::StatusOr<std::vector<ServiceSpec>> services = ParseServices(text);
  if (!services.ok()) return services.status();
  options.services = *std::move(services);
  return absl::OkStatus();
}

absl::Status ReadNumbers(const sim::Arguments& arguments,
                         Server::Options& options) {
  const absl::StatusOr<absl::optional<uint32_t>> cid =
      arguments.Value<uint32_t>("cid");
  if (!cid.ok()) return cid.status();
  options.guest_cid = Cid(cid->value_or(3));
  const absl::optional<std::string> features = arguments.Text("ring-features");
  if (!features.has_value()) return absl::OkStatus();
  const absl::StatusOr<uint64_t> bits = ParseRingFeatures(*features);
  if (!bits.ok()) return bits.status();
  options.ring_features = *bits;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Server::Options> ReadDeviceFlags(
    const std::vector<std::string>& args) {
  const absl::StatusOr<sim::Arguments> arguments =
      sim::Arguments::Parse(args, Flags());
  if (!arguments.ok()) return arguments.status();
  if (arguments->Has("help")) return absl::CancelledError("--help");
  if (!arguments->positional().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(arguments->positional()[0], ": not a flag"));
  }
  const absl::optional<std::string> socket = arguments->Text("socket");
  if (!socket.has_value()) {
    return absl::InvalidArgumentError("--socket=PATH is required");
  }
  Server::Options options = {
      .socket = *socket, .forward = arguments->Text("forward").value_or("")};
  for (auto* read : {ReadProposal, ReadServices, ReadNumbers}) {
    if (absl::Status s = read(*arguments, options); !s.ok()) return s;
  }
  return options;
}

std::string DeviceHelp() {
  return absl::StrCat(
      "Serves a guest's vhost-user-vsock device, until SIGINT or SIGTERM.\n"
      "SIGUSR1 prints the counters, as does the end.\n\n",
      sim::FlagsHelp(Flags()));
}

}  // namespace vsock::vhost_user
