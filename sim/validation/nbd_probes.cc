#include "sim/validation/nbd_probes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sim/validation/runs.h"

namespace sim {
namespace {

using Transport = Scenario::Flow::Transport;

constexpr char kPatch[] =
    "Nir Soffer, qemu-devel, \"io: Increase unix socket buffers size\" v4, 17 "
    "May 2025";
constexpr char kMail[] =
    "Nir Soffer, qemu-devel, reply to v1 of 18 Apr 2025, buffers of 64 KiB to "
    "2 "
    "MiB";

// Within this of the best speed counts as the best.
constexpr double kNearBest = 0.95;

// One row of a table: seconds of a test by SO_SNDBUF.
struct Column {
  const char* arm;  // of the presets; the first is what others are compared to
  double seconds;
};
struct Test {
  const char* name;
  const char* preset;
  std::vector<Column> columns;
};

uint32_t KiB(absl::string_view arm) {
  if (arm == "default") return 0;
  const bool mega = arm.back() == 'm';
  const uint32_t number = static_cast<uint32_t>(std::stoul(std::string(arm)));
  return mega ? number * 1024 : number;
}

// The smallest buffer that is as good as the best, in KiB.
double Knee(const Test& test, const std::vector<double>& speeds) {
  const double best = *std::max_element(speeds.begin(), speeds.end());
  for (size_t i = 0; i < speeds.size(); ++i) {
    if (speeds[i] >= kNearBest * best) return KiB(test.columns[i].arm);
  }
  return 0;
}

std::vector<double> PublishedSpeeds(const Test& test) {
  std::vector<double> speeds;
  for (const Column& column : test.columns) {
    speeds.push_back(1 / column.seconds);
  }
  return speeds;
}

// Payload a second, whichever way it goes.
double Speed(const RunResult& run) {
  const FlowResult& flow = run.flow(0);
  return std::max<double>(static_cast<double>(flow.payload_bytes_delivered()),
                          static_cast<double>(flow.reply_bytes_delivered()));
}

absl::StatusOr<Scenario> PresetOn(const Test& test, Transport transport) {
  absl::StatusOr<Scenario> scenario = PresetScenario(
      test.preset, {"duration_us=40000", "host.kernel.wmem_max_bytes=4194304"});
  if (!scenario.ok()) return scenario;
  for (Scenario::Flow& flow : *scenario->mutable_flow()) {
    flow.set_transport(transport);
  }
  return scenario;
}

absl::StatusOr<std::vector<double>> SimulatedSpeeds(const Test& test,
                                                    Transport transport,
                                                    const Platform& costs,
                                                    uint64_t seed) {
  const absl::StatusOr<Scenario> scenario = PresetOn(test, transport);
  if (!scenario.ok()) return scenario.status();
  std::vector<double> speeds;
  for (const Column& column : test.columns) {
    const absl::StatusOr<RunResult> run =
        RunNamedArm(*scenario, costs, column.arm, seed);
    if (!run.ok()) return run.status();
    speeds.push_back(Speed(*run));
  }
  return speeds;
}

absl::StatusOr<std::vector<double>> Predict(const std::vector<Test>& tests,
                                            Transport transport,
                                            const Platform& costs,
                                            uint64_t seed) {
  std::vector<double> values;
  for (const Test& test : tests) {
    const auto speeds = SimulatedSpeeds(test, transport, costs, seed);
    if (!speeds.ok()) return speeds.status();
    for (size_t i = 1; i < speeds->size(); ++i) {
      values.push_back((*speeds)[i] / (*speeds)[0]);
    }
    if (speeds->size() > 2) values.push_back(Knee(test, *speeds));
  }
  return values;
}

void AddClaims(const std::string& system, const Test& test, const char* note,
               std::vector<Claim>& claims) {
  const std::vector<double> speeds = PublishedSpeeds(test);
  for (size_t i = 1; i < speeds.size(); ++i) {
    const char* arm = test.columns[i].arm;
    const double ratio = speeds[i] / speeds[0];
    claims.push_back(
        RoundedClaim(absl::StrCat(system, "_", test.name, "_", arm),
                     absl::StrCat(test.name, ": speed with ", arm, " over ",
                                  test.columns[0].arm),
                     absl::StrFormat("%.2f", ratio), ratio, 0.01, note));
  }
  if (speeds.size() <= 2) return;
  const double knee = Knee(test, speeds);
  claims.push_back(
      {.name = absl::StrCat(system, "_", test.name, "_knee"),
       .claim = absl::StrCat(test.name, ": smallest as good as the best, KiB"),
       .published = absl::StrCat(knee),
       .low = knee,
       .high = knee,
       .note = note});
}

Probe MakeProbe(const char* source, const std::string& system,
                const std::string& platform, Transport transport,
                const std::vector<Test>& tests, const char* note) {
  Probe probe = {
      .title = absl::StrCat("NBD, ", system),
      .source = absl::StrCat(source, "; ", system),
      .platform = platform,
      .draws = 40,
      .bears_on = {transport},
      .predict = [tests, transport](const Platform& costs, uint64_t seed) {
        return Predict(tests, transport, costs, seed);
      }};
  for (const Test& test : tests) AddClaims(system, test, note, probe.claims);
  return probe;
}

std::vector<Test> MacTests() {
  const auto test = [](const char* name, const char* preset,
                       const std::vector<double>& seconds) {
    constexpr const char* kArms[] = {"default", "64k", "128k", "256k",
                                     "512k",    "1m",  "2m",   "4m"};
    Test of = {name, preset, {}};
    for (size_t i = 0; i < seconds.size(); ++i) {
      of.columns.push_back({kArms[i], seconds[i]});
    }
    return of;
  };
  return {test("read", "nbd_read",
               {13.361, 2.283, 1.673, 1.592, 1.496, 1.234, 1.060, 1.061}),
          test("write", "nbd_write",
               {8.063, 1.472, 1.071, 1.012, 0.970, 0.895, 0.877, 0.944}),
          test("nbdcopy", "nbd_copy",
               {8.624, 2.563, 1.903, 1.759, 1.729, 1.696, 1.710, 1.687}),
          test("blksum", "nbd_blksum",
               {13.085, 3.299, 2.396, 1.607, 1.271, 1.294, 1.299, 1.291})};
}

std::vector<Test> LinuxTests() {
  return {{"read",
           "nbd_read",
           {{"default", 4.292},
            {"512k", 2.167},
            {"1m", 2.041},
            {"2m", 1.884},
            {"4m", 1.881}}},
          {"write",
           "nbd_write",
           {{"default", 3.113},
            {"512k", 1.173},
            {"1m", 1.164},
            {"2m", 1.227},
            {"4m", 1.227}}},
          {"nbdcopy", "nbd_copy", {{"default", 2.140}, {"512k", 1.794}}},
          {"blksum",
           "nbd_blksum",
           {{"default", 3.582},
            {"512k", 1.499},
            {"1m", 1.377},
            {"2m", 1.388},
            {"4m", 1.352}}}};
}

// The mail has no default row but for reads.
std::vector<Test> MailTests() {
  return {{"read_gain", "nbd_read", {{"default", 12.957}, {"1m", 1.139}}},
          {"read_sweep",
           "nbd_read",
           {{"64k", 2.233},
            {"128k", 1.189},
            {"256k", 1.121},
            {"512k", 1.172},
            {"1m", 1.160},
            {"2m", 1.309}}},
          {"nbdcopy_sweep",
           "nbd_copy",
           {{"64k", 2.832},
            {"128k", 2.429},
            {"256k", 2.158},
            {"512k", 1.777},
            {"1m", 1.657},
            {"2m", 1.782}}},
          {"blksum_sweep",
           "nbd_blksum",
           {{"64k", 4.233},
            {"128k", 3.329},
            {"256k", 2.071},
            {"512k", 1.980},
            {"1m", 2.058},
            {"2m", 1.972}}}};
}

}  // namespace

std::vector<Probe> NbdProbes() {
  constexpr char kMacNote[] =
      "every cost of macOS is an assumption. Past the knee the model is flat: "
      "nothing in it grows dearer, or cheaper, with the bytes that lie in a "
      "buffer. nbdcopy's four connections have a server's thread each here, "
      "and "
      "hash on their own; whether qemu-nbd serves all from one is open";
  constexpr char kLinuxNote[] =
      "a matter of how long a sleeper takes to run again: by 20 us "
      "(task_latency) "
      "the model's reads gain 1.55 beyond the default buffer, by 50 us 5.4; "
      "some "
      "25 us, as of processors in deep sleep, would give the table's 2.3. On a "
      "guest with wake-ups of 8 us real sockets gained nothing from 64 KiB to "
      "4 "
      "MiB. The machine of the table is not described";
  return {MakeProbe(kPatch, "macos", "macos", Scenario::Flow::UNIX_BSD,
                    MacTests(), kMacNote),
          MakeProbe(kPatch, "linux", "linux_kvm", Scenario::Flow::UNIX,
                    LinuxTests(), kLinuxNote),
          MakeProbe(kMail, "macos_mail", "macos", Scenario::Flow::UNIX_BSD,
                    MailTests(), kMacNote)};
}

}  // namespace sim
