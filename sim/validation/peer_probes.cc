#include "sim/validation/peer_probes.h"

#include "sim/peers/tap_frames.h"
#include "sim/published.h"
#include "sim/validation/runs.h"

namespace sim {
namespace {

absl::StatusOr<std::vector<double>> PredictDatagrams(const Platform& costs,
                                                     uint64_t seed) {
  const absl::StatusOr<Scenario> scenario =
      PresetScenario("udp_16_queues", {"duration_us=40000"});
  if (!scenario.ok()) return scenario.status();
  const auto vsock = RunNamedArm(*scenario, costs, "vsock", seed);
  if (!vsock.ok()) return vsock.status();
  const auto udp = RunNamedArm(*scenario, costs, "udp", seed);
  if (!udp.ok()) return udp.status();
  const double vsock_mb = Goodput(*vsock) / 1e6;
  const double udp_mb = Goodput(*udp) / 1e6;
  return std::vector<double>{vsock_mb, udp_mb, vsock_mb / udp_mb};
}

}  // namespace

Probe DatagramsAgainstUdp2023() {
  constexpr char kNote[] =
      "the mail states neither direction nor buffers nor the number of "
      "senders; "
      "taken were guest to host, defaults, one sender for each vCPU. See "
      "docs/validation.md";
  return {.title = "Datagrams against UDP",
          .source =
              "4 KB datagrams, 16 vCPUs, 16 queues: Bobby Eshleman, "
              "virtualization list, 14 Apr 2023, N = 5",
          .draws = 40,
          .claims = {RoundedClaim("vsock_dgram", "vsock datagrams, MB/s",
                                  "509.2", kPublishedDatagramMBs, 0.1, kNote),
                     RoundedClaim("udp", "UDP over virtio-net, MB/s", "287.59",
                                  kPublishedUdpMBs, 0.01, kNote),
                     RoundedClaim("vsock_over_udp", "vsock over UDP", "1.77",
                                  1.77, 0.01, kNote)},
          .bears_on = {Scenario::Flow::VSOCK, Scenario::Flow::UDP},
          .predict = PredictDatagrams};
}

Probe TapFrames2024() {
  constexpr char kNote[] =
      "the cost that the patch removed is not the copy alone: its author found "
      "84 % of the cache misses in the checksum, 22 % with iovecs";
  return {.title = "Tap frames",
          .source =
              "Four iovecs a frame against one buffer: Laurent Vivier, "
              "passt-dev, 8 Mar 2024, iperf3",
          .draws = 200,
          .claims = {RoundedClaim("iovec_ipv4", "IPv4: 4.72 over 2.27 Gbit/s",
                                  "2.08", 2.08, 0.01, kNote),
                     RoundedClaim("iovec_ipv6", "IPv6: 3.73 over 2.25 Gbit/s",
                                  "1.66", 1.66, 0.01, kNote)},
          .predict = [](const Platform& costs, uint64_t) {
            return absl::StatusOr<std::vector<double>>(
                std::vector<double>{PredictIovecGain(costs, IpVersion::k4),
                                    PredictIovecGain(costs, IpVersion::k6)});
          }};
}

}  // namespace sim
