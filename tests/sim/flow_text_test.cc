#include "sim/flow_text.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_defaults.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

std::string TextOf(Flow::Transport transport, uint64_t from, uint64_t to) {
  Scenario scenario;
  Flow& flow = *scenario.add_flow();
  flow.set_type(Flow::DGRAM);
  flow.set_transport(transport);
  flow.mutable_from()->set_cid(from);
  flow.mutable_to()->set_cid(to);
  FillDefaults(scenario);
  return FlowText(scenario, scenario.flow(0));
}

TEST(FlowTextTest, NamesTransportAndWayBetweenTwoMachines) {
  EXPECT_EQ(TextOf(Flow::VSOCK, 3, 2),
            "datagrams, guest to host, 4096-byte messages");
  EXPECT_EQ(TextOf(Flow::UDP, 3, 2),
            "datagrams, UDP, guest to host, 4096-byte messages");
  EXPECT_EQ(TextOf(Flow::VMCI, 2, 3),
            "datagrams, VMCI, host to guest, 4096-byte messages");
}

TEST(FlowTextTest, NamesTransportAndMachineOfAFlowWithinOne) {
  EXPECT_EQ(TextOf(Flow::VSOCK_LOOPBACK, 3, 3),
            "datagrams, vsock loopback in the guest, 4096-byte messages");
  EXPECT_EQ(TextOf(Flow::UNIX, 2, 2),
            "datagrams, AF_UNIX on the host, 4096-byte messages");
  EXPECT_EQ(TextOf(Flow::UNIX_BSD, 3, 3),
            "datagrams, BSD AF_UNIX in the guest, 4096-byte messages");
}

}  // namespace
}  // namespace sim
