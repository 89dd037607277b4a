#include "sim/machine_text.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_defaults.h"

namespace sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOn(const std::string& rest) {
  Scenario scenario;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(rest, &scenario));
  FillDefaults(scenario);
  Platform platform;
  platform.set_name("costs");
  return MachineText(scenario, platform);
}

TEST(MachineTextTest, NamesRingAndProposalForAVsockFlow) {
  EXPECT_EQ(TextOn("flow { transport: VSOCK }"),
            "Guest: 4 vCPUs, split ring of 128, event_idx on, indirect on, rx "
            "buffers of 4140 bytes. Host: 4 CPUs. Datagrams: linux-2023, "
            "charged by truesize. Costs: costs.");
}

TEST(MachineTextTest, SaysIfTheRingIsUsedInOrder) {
  EXPECT_THAT(TextOn("flow { transport: VSOCK } "
                     "guest { ring { format: PACKED in_order: true } }"),
              HasSubstr("packed ring of 128, event_idx on, indirect on, in "
                        "order, rx buffers"));
}

TEST(MachineTextTest, NamesQueuePairsForAUdpFlow) {
  EXPECT_EQ(TextOn("flow { transport: UDP } virtio_net { queue_pairs: 7 }"),
            "Guest: 4 vCPUs, split ring of 128, event_idx on, indirect on. "
            "Host: 4 CPUs. virtio-net: 7 queue pairs, MTU 1500, tx napi on, "
            "fragments steered by addresses alone. Costs: costs.");
}

TEST(MachineTextTest, NamesNoRingWhereThereIsNone) {
  EXPECT_EQ(TextOn("flow { transport: VMCI }"),
            "Guest: 4 vCPUs. Host: 4 CPUs. VMCI: at most 256 datagrams wait "
            "for the guest. Costs: costs.");
  EXPECT_EQ(TextOn("flow { transport: VSOCK_LOOPBACK }"),
            "Guest: 4 vCPUs. Host: 4 CPUs. Datagrams: linux-2023, charged by "
            "truesize. Costs: costs.");
}

TEST(MachineTextTest, NamesTheRulesOfAfUnixThatAFlowMeets) {
  EXPECT_THAT(TextOn("flow { transport: UNIX type: DGRAM }"),
              HasSubstr("AF_UNIX: max_dgram_qlen 10. "));
  EXPECT_THAT(TextOn("flow { transport: UNIX type: STREAM }"),
              Not(HasSubstr("max_dgram_qlen")));
  EXPECT_THAT(TextOn("flow { transport: UNIX_BSD type: STREAM }"),
              HasSubstr("window is its writer's SO_SNDBUF. "));
  EXPECT_THAT(TextOn("flow { transport: UNIX_BSD type: STREAM } "
                     "unix { bsd_window: RECEIVER }"),
              HasSubstr("window is its reader's SO_RCVBUF. "));
}

TEST(MachineTextTest, NamesEachTransportOfAMixtureOnce) {
  const std::string text = TextOn(
      "flow { transport: UDP } flow { transport: UDP } "
      "flow { transport: VSOCK } flow { transport: VMCI }");

  EXPECT_EQ(text,
            "Guest: 4 vCPUs, split ring of 128, event_idx on, indirect on, rx "
            "buffers of 4140 bytes. Host: 4 CPUs. virtio-net: 16 queue pairs, "
            "MTU 1500, tx napi on, fragments steered by addresses alone. VMCI: "
            "at most 256 datagrams wait for the guest. Datagrams: linux-2023, "
            "charged by truesize. Costs: costs.");
}

}  // namespace
}  // namespace sim
