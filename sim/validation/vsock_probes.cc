#include "sim/validation/vsock_probes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/published.h"
#include "sim/sample.h"
#include "sim/significance.h"
#include "sim/validation/runs.h"
#include "virtqueue/check.h"
#include "vsock/features.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"

namespace sim {
namespace {

constexpr uint64_t kGuestCid = 3;
constexpr uint64_t kHostCid = 2;

struct Throughput {
  const char* name;
  const char* claim;
  uint64_t from;
  uint32_t message_bytes;
  double gbit;
  double last_digit;
  bool derived;
  const char* note;
};

constexpr char kSmall[] =
    "faster than measured: a small message took 4.4 us somewhere, and no cost "
    "here is that large. The worker it was not, as the 24 Gbit/s of packets of "
    "4 KiB show, nor reads as small as the messages, which change little. "
    "Calls "
    "and interrupts of a kernel of 2019 with its mitigations are candidates; "
    "nothing was published on them";
constexpr char kQuiet[] =
    "runs of the model spread by 1 to 2 % of their mean, those of the mail by "
    "13.7 % at least, or 16 % had been significant. What made them spread "
    "(other load, frequencies, placement) is not in the model";
constexpr char kWindow[] =
    "slower than measured: the sender waits for credit more than half of the "
    "time. The mail does not state its buffers; with 256 KiB a window is four "
    "such messages, and the wake-ups of a credit update stall it";

constexpr Throughput kThroughputs[] = {
    {"stream_64_to_guest", "host to guest, 64 B, Gbit/s", kHostCid, 64, 0.117,
     0.001, false, kSmall},
    {"stream_4k_to_guest", "host to guest, 4 KiB, Gbit/s", kHostCid, 4096, 6.04,
     0.01, false, kSmall},
    {"stream_64k_to_guest", "host to guest, 64 KiB, Gbit/s", kHostCid, 65536,
     24, 1, true, kWindow},
    {"stream_64k_to_host", "guest to host, 64 KiB, Gbit/s", kGuestCid, 65536,
     35.3, 0.1, true, kWindow},
    {"stream_128k_to_host", "guest to host, 128 KiB, Gbit/s", kGuestCid, 131072,
     40.3, 0.1, false, kWindow},
};

Scenario BulkStream(const Throughput& of) {
  Scenario scenario;
  scenario.set_name(of.name);
  scenario.set_warmup_us(5000);
  scenario.set_duration_us(30000);
  Scenario::Flow& flow = *scenario.add_flow();
  flow.set_name("bulk");
  flow.set_type(Scenario::Flow::STREAM);
  flow.set_message_bytes(of.message_bytes);
  flow.mutable_from()->set_cid(of.from);
  flow.mutable_to()->set_cid(of.from == kHostCid ? kGuestCid : kHostCid);
  flow.mutable_to()->set_port(1024);
  return Completed(std::move(scenario));
}

absl::StatusOr<std::vector<double>> PredictThroughputs(const Platform& costs,
                                                       uint64_t seed) {
  std::vector<double> gbit;
  for (const Throughput& of : kThroughputs) {
    const Scenario scenario = BulkStream(of);
    const absl::StatusOr<RunResult> run =
        RunNamedArm(scenario, costs, scenario.arm(0).name(), seed);
    if (!run.ok()) return run.status();
    gbit.push_back(Goodput(*run) * 8 / 1e9);
  }
  return gbit;
}

// Goodputs of the lone stream in one arm, with the seeds of the mail's runs.
absl::StatusOr<std::vector<double>> LoneGoodputs(const Scenario& scenario,
                                                 const Platform& costs,
                                                 absl::string_view arm,
                                                 uint64_t seed) {
  std::vector<double> goodputs;
  for (uint32_t i = 0; i < kPublishedRuns; ++i) {
    const absl::StatusOr<RunResult> run =
        RunNamedArm(scenario, costs, arm, seed + i);
    if (!run.ok()) return run.status();
    goodputs.push_back(Goodput(*run, "lone"));
  }
  return goodputs;
}

absl::StatusOr<std::vector<double>> PredictFairness(const Platform& costs,
                                                    uint64_t seed) {
  const absl::StatusOr<Scenario> scenario =
      PresetScenario("fairness_default", {"duration_us=60000"});
  if (!scenario.ok()) return scenario.status();
  const auto streams = LoneGoodputs(*scenario, costs, "streams", seed);
  if (!streams.ok()) return streams.status();
  const auto datagrams = LoneGoodputs(*scenario, costs, "datagrams", seed);
  if (!datagrams.ok()) return datagrams.status();
  const auto a = Summarize(*datagrams);
  const auto b = Summarize(*streams);
  if (!a.ok() || !b.ok()) return absl::InternalError("too few runs");
  const absl::StatusOr<TTest> test = WelchTest(*a, *b);
  if (!test.ok()) return test.status();
  return std::vector<double>{100 * (a->mean - b->mean) / b->mean, test->p};
}

// Sends until the socket would block; nobody takes anything.
double UnderWay(uint32_t bytes) {
  vsock::PacketPool pool(vsock::PayloadMode::kElided, /*arena=*/nullptr);
  vsock::PacketQueue list;
  vsock::Router router;
  router.SetDefault(list);
  vsock::TailDrop drop;
  vsock::Transport transport(
      {.cid = vsock::Cid(kGuestCid),
       .features =
           vsock::Features(vsock::Features::kStream | vsock::Features::kDgram)},
      pool, router, drop);
  const auto socket = transport.Open(vsock::Type::kDgram);
  VSOCK_CHECK(socket.ok());
  double sent = 0;
  for (;;) {
    const vsock::SendResult result = transport.Send(
        *socket,
        {.len = bytes, .to = vsock::Address{vsock::kCidHost, vsock::Port(1)}});
    VSOCK_CHECK(result.status.ok());
    if (result.blocked != vsock::Blocked::kNo) break;
    ++sent;
  }
  transport.Abort();
  return sent;
}

}  // namespace

Probe StreamThroughput2019() {
  Probe probe = {.title = "Stream throughput",
                 .source =
                     "Stream throughput by message size: Stefano "
                     "Garzarella, netdev, 30 Jul 2019",
                 .draws = 40,
                 .bears_on = {Scenario::Flow::VSOCK},
                 .predict = PredictThroughputs};
  for (const Throughput& of : kThroughputs) {
    probe.claims.push_back(RoundedClaim(of.name, of.claim,
                                        absl::StrCat(of.gbit), of.gbit,
                                        of.last_digit, of.note));
    probe.claims.back().derived = of.derived;
  }
  return probe;
}

Probe Fairness2023() {
  return {.title = "Fairness",
          .source =
              "A lone stream beside datagrams against beside streams: "
              "Bobby Eshleman, virtualization list, 14 Apr 2023, N = 7",
          .draws = 24,
          .claims = {RoundedClaim("fairness_difference",
                                  "difference of throughput, %", "+16",
                                  kPublishedDifferencePercent, 1),
                     {.name = "fairness_p",
                      .claim = "p of Welch's test, 7 runs an arm",
                      .published = "above 0.05",
                      .low = 0.05,
                      .high = 1,
                      .note = kQuiet}},
          .bears_on = {Scenario::Flow::VSOCK},
          .predict = PredictFairness};
}

Probe DatagramsInFlight() {
  return {.title = "Datagrams in flight",
          .source =
              "Datagrams under way below the default SO_SNDBUF of "
              "212992: arithmetic of net/core/sock.c and slab sizes",
          .claims = {{.name = "in_flight_4k",
                      .claim = "of 4096 bytes",
                      .published = "26",
                      .low = 26,
                      .high = 26},
                     {.name = "in_flight_64k",
                      .claim = "of 65536 bytes",
                      .published = "2",
                      .low = 2,
                      .high = 2}},
          .bears_on = {Scenario::Flow::VSOCK},
          .predict = [](const Platform&, uint64_t) {
            return absl::StatusOr<std::vector<double>>(
                std::vector<double>{UnderWay(4096), UnderWay(65536)});
          }};
}

}  // namespace sim
