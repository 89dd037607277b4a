#include "tests/sim/fake_run.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/text_format.h"
#include "sim/aggregate.h"
#include "sim/experiment.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_defaults.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

constexpr char kThreeArms[] = R"(
  name: "three" question: "Which is it?"
  flow { name: "lone" type: STREAM measured: true
         from { cid: 3 } to { cid: 2 port: 1 } }
  flow { name: "pool_streams" type: STREAM count: 2
         from { cid: 3 } to { cid: 2 port: 2 } }
  flow { name: "pool_datagrams" type: DGRAM count: 2
         from { cid: 3 } to { cid: 2 port: 3 } }
  arm { name: "alone" title: "no load" flow: "lone" }
  arm { name: "streams" flow: ["lone", "pool_streams"] }
  arm { name: "datagrams" flow: ["lone", "pool_datagrams"] }
  compare { arm: "datagrams" against: "streams" flow: "lone" })";

int IndexOf(const Scenario& scenario, const Arm& arm) {
  for (int i = 0; i < scenario.arm_size(); ++i) {
    if (scenario.arm(i).name() == arm.name()) return i;
  }
  return -1;
}

void FillFlow(const Scenario::Flow& flow, double goodput, FlowResult& result) {
  result.set_name(flow.name());
  result.set_type(flow.type());
  result.set_measured(flow.measured());
  result.set_sockets(flow.count());
  result.set_goodput_bytes_per_second(goodput);
  result.mutable_latency()->set_p50_us(12.5);
  if (flow.type() != Scenario::Flow::DGRAM) return;
  Drop& drop = *result.add_drop();
  drop.set_cause("no_socket");
  drop.set_packets(5);
  drop.set_payload_bytes(5 * flow.message_bytes());
}

const Scenario::Flow& FlowNamed(const Scenario& scenario,
                                const std::string& name) {
  for (const Scenario::Flow& flow : scenario.flow()) {
    if (flow.name() == name) return flow;
  }
  VSOCK_CHECK(false);
}

void AddRun(const char* arm, uint32_t replicate, double goodput,
            ScenarioResult& result) {
  RunResult& run = *result.add_run();
  run.set_arm(arm);
  run.set_replicate(replicate);
  FillFlow(result.scenario().flow(0), goodput, *run.add_flow());
}

}  // namespace

Scenario ThreeArms(uint32_t replicates) {
  Scenario scenario;
  VSOCK_CHECK(
      google::protobuf::TextFormat::ParseFromString(kThreeArms, &scenario));
  scenario.set_replicates(replicates);
  FillDefaults(scenario);
  return scenario;
}

absl::StatusOr<RunResult> FakeRun(const Scenario& scenario,
                                  const Platform& /*platform*/, const Arm& arm,
                                  uint64_t seed,
                                  const std::atomic<bool>& /*stop*/) {
  RunResult result;
  for (const std::string& name : arm.flow()) {
    const double base =
        name == "lone" ? 1000 - 100 * IndexOf(scenario, arm) : 1000;
    FillFlow(FlowNamed(scenario, name), base + static_cast<double>(seed % 10),
             *result.add_flow());
  }
  result.mutable_totals()->set_kicks_sent(7);
  return result;
}

ScenarioResult FakeExperiment(uint32_t replicates) {
  const std::atomic<bool> stop{false};
  ScenarioResult result =
      *RunExperiment(ThreeArms(replicates), Platform(), FakeRun, {}, stop);
  result.set_version("9.9.9");
  result.set_replay("./bazelw run //sim:three -- --seed=1");
  return result;
}

ScenarioResult ResultWith(const std::vector<double>& datagrams,
                          const std::vector<double>& streams) {
  ScenarioResult result;
  *result.mutable_scenario() =
      ThreeArms(static_cast<uint32_t>(datagrams.size()));
  for (size_t i = 0; i < datagrams.size(); ++i) {
    const uint32_t replicate = static_cast<uint32_t>(i);
    AddRun("alone", replicate, 100, result);
    AddRun("streams", replicate, streams[i], result);
    AddRun("datagrams", replicate, datagrams[i], result);
  }
  result.set_complete(true);
  Aggregate(result);
  return result;
}

}  // namespace sim
