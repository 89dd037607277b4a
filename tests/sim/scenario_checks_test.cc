// What sim/scenario.proto promises beyond ranges, tried through the loader: one
// test for each rule of scenario_checks, flow_checks, arm_checks, name_checks.

#include "sim/scenario_checks.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr char kHead[] = "name: \"t\" question: \"?\"\n";

// The error of a scenario whose only flow, on line 2, has these fields.
std::string FlowError(const std::string& fields) {
  return LoadError(absl::StrCat(kHead, "flow { name: \"f\" ", fields, " }\n"));
}

// The error of the lawful scenario with more lines, from line 4.
std::string ErrorWith(const std::string& lines) {
  return LoadError(absl::StrCat(kLawful, lines));
}

constexpr char kEnds[] = "from { cid: 3 } to { cid: 2 port: 10 } ";
constexpr char kStream[] = "type: STREAM ";
constexpr char kDatagram[] = "type: DGRAM ";

TEST(FlowChecksTest, WantsAType) {
  EXPECT_EQ(FlowError(kEnds),
            "s.textproto:2:1: flow[0].type: missing: STREAM or DGRAM");
}

TEST(FlowChecksTest, WantsOneEndInTheGuestAndOneInTheHost) {
  EXPECT_EQ(FlowError("type: STREAM from { cid: 3 } to { cid: 4 port: 1 }"),
            "s.textproto:2:52: flow[0].to.cid: 4 is nobody's; expected 2 (the "
            "host) or 3 (the guest)");
  EXPECT_EQ(FlowError("type: STREAM from { cid: 2 } to { cid: 2 port: 1 }"),
            "s.textproto:2:52: flow[0].to.cid: must differ from from.cid");
  EXPECT_EQ(FlowError("type: STREAM to { cid: 2 port: 1 }"),
            "s.textproto:2:1: flow[0].from.cid: missing: 2 (the host) or 3 "
            "(the guest)");
}

TEST(FlowChecksTest, WantsBothEndsOfAfUnixOnOneMachine) {
  for (const char* transport : {"UNIX ", "UNIX_BSD "}) {
    const std::string flow =
        absl::StrCat("type: STREAM transport: ", transport, "from { cid: 3 } ");

    EXPECT_EQ(FlowError(flow + "to { cid: 3 port: 1 }"), "");
    EXPECT_TRUE(absl::StrContains(FlowError(flow + "to { cid: 2 port: 1 }"),
                                  "flow[0].to.cid: must be from.cid"));
  }
}

TEST(FlowChecksTest, RefusesASendBufferOfAVsockStream) {
  EXPECT_EQ(FlowError(absl::StrCat(kStream, kEnds, "send_buffer_bytes: 1")),
            "s.textproto:2:70: flow[0].send_buffer_bytes: a vsock stream has "
            "one buffer size: receive_buffer_bytes");
}

TEST(FlowChecksTest, WantsThePortOfTheReceiver) {
  EXPECT_EQ(FlowError("type: STREAM from { cid: 3 } to { cid: 2 }"),
            "s.textproto:2:47: flow[0].to.port: missing: 1..4294967294");
}

TEST(FlowChecksTest, WantsAllPortsBelowTheWildcard) {
  EXPECT_EQ(FlowError("type: DGRAM count: 2 from { cid: 3 } "
                      "to { cid: 2 port: 4294967294 }"),
            "s.textproto:2:67: flow[0].to.port: 2 ports from here on pass "
            "4294967294");
}

TEST(FlowChecksTest, RefusesAnEmptyMessageOfAStream) {
  EXPECT_EQ(FlowError(absl::StrCat(kStream, kEnds, "message_bytes: 0")),
            "s.textproto:2:70: flow[0].message_bytes: a stream cannot send "
            "nothing");
  EXPECT_EQ(FlowError(absl::StrCat(kDatagram, kEnds, "message_bytes: 0")), "");
}

// Every proposal: EMSGSIZE above 64 KiB.
TEST(FlowChecksTest, RefusesADatagramAbove64KiB) {
  EXPECT_EQ(FlowError(absl::StrCat(kDatagram, kEnds, "message_bytes: 65537")),
            "s.textproto:2:69: flow[0].message_bytes: 65537 is not in 0..65536 "
            "(datagram)");
  EXPECT_EQ(FlowError(absl::StrCat(kDatagram, kEnds, "message_bytes: 65536")),
            "");
}

TEST(FlowChecksTest, RefusesATotalThatEmptyMessagesNeverReach) {
  EXPECT_TRUE(absl::StrContains(
      FlowError(
          absl::StrCat(kDatagram, kEnds, "message_bytes: 0 total_bytes: 1")),
      "flow[0].total_bytes: never reached with empty messages"));
}

TEST(FlowChecksTest, WantsReceivingSocketsToFitTheSenders) {
  EXPECT_TRUE(absl::StrContains(
      FlowError(absl::StrCat(kDatagram, kEnds, "receiving_sockets: 2")),
      "flow[0].receiving_sockets: more than the 1 senders"));
  EXPECT_TRUE(absl::StrContains(
      FlowError(absl::StrCat(kStream, kEnds, "receiving_sockets: 1")),
      "flow[0].receiving_sockets: only datagram flows have these"));
}

TEST(FlowChecksTest, WantsAStreamForRequestsAndReplays) {
  EXPECT_TRUE(absl::StrContains(
      FlowError(absl::StrCat(kDatagram, kEnds, "request_response {}")),
      "flow[0].type: request_response and replay need STREAM"));
}

TEST(FlowChecksTest, WantsWhatAWorkloadNeeds) {
  EXPECT_TRUE(
      absl::StrContains(FlowError(absl::StrCat(kStream, kEnds, "paced {}")),
                        "flow[0].paced.interval_us: missing"));
  EXPECT_TRUE(
      absl::StrContains(FlowError(absl::StrCat(kStream, kEnds, "replay {}")),
                        "flow[0].replay: needs a capture or messages"));
  EXPECT_TRUE(absl::StrContains(
      FlowError(absl::StrCat(kStream, kEnds, "replay { message {} }")),
      "flow[0].replay.message[0].bytes: missing"));
}

// The run is 20000 + 200000 + 5000 us long, the window opens at 20000.
TEST(FlowChecksTest, WantsAFlowToRunWithinTheRunAndAMeasuredOneInTheWindow) {
  const std::string flow = absl::StrCat(kStream, kEnds);

  EXPECT_TRUE(absl::StrContains(FlowError(flow + "start_us: 5 stop_us: 5"),
                                "flow[0].stop_us: not after start_us 5"));
  EXPECT_TRUE(absl::StrContains(FlowError(flow + "stop_us: 225001"),
                                "flow[0].stop_us: after the end of the run, "
                                "225000"));
  EXPECT_TRUE(absl::StrContains(
      FlowError(flow + "stop_us: 20000"),
      "flow[0].start_us: a measured flow must run in the measured window"));
}

TEST(NameChecksTest, WantsSimpleUniqueNames) {
  EXPECT_TRUE(absl::StrContains(
      ErrorWith("flow { name: \"lone\" type: STREAM from { cid: 3 } "
                "to { cid: 2 port: 11 } }"),
      "s.textproto:4:8: flow[1].name: \"lone\" is there twice"));
  EXPECT_TRUE(absl::StrContains(
      LoadError("name: \"a b\" question: \"?\" flow { name: \"f\" type: STREAM "
                "from { cid: 3 } to { cid: 2 port: 1 } }"),
      "s.textproto:1:1: name: \"a b\" has more than letters, digits, '_' and "
      "'-'"));
  EXPECT_TRUE(absl::StrContains(
      LoadError(absl::StrCat(kHead, "flow { name: \"totals\" type: STREAM ",
                             kEnds, "}")),
      "flow[0].name: \"totals\" is taken"));
}

TEST(ScenarioChecksTest, WantsAQuestion) {
  EXPECT_EQ(LoadError(absl::StrCat("name: \"t\"\nflow { name: \"f\" ", kStream,
                                   kEnds, "}")),
            "s.textproto:1:1: question: missing: what does this scenario ask?");
}

// virtio 1.3, 2.7: queue sizes are powers of two.
TEST(ScenarioChecksTest, WantsASplitRingWhoseSizeIsAPowerOfTwo) {
  EXPECT_EQ(ErrorWith("guest { ring { size: 100 } }\n"),
            "s.textproto:4:16: guest.ring.size: 100 is not a power of two");
  EXPECT_EQ(ErrorWith("guest { ring { size: 32768 } }\n"), "");
}

// virtio 1.3, 2.8.10.1: on a packed ring they need not be.
TEST(ScenarioChecksTest, TakesAPackedRingOfWhateverSize) {
  EXPECT_EQ(ErrorWith("guest { ring { format: PACKED size: 100 } }\n"), "");
  EXPECT_NE(ErrorWith("guest { ring { format: PACKED size: 32769 } }\n"), "");
}

TEST(ScenarioChecksTest, KnowsTheProposals) {
  EXPECT_EQ(ErrorWith("proposal { name: \"linux-2022\" }\n"),
            "s.textproto:4:12: proposal.name: no proposal \"linux-2022\"; did "
            "you mean linux-2023 or linux-2026?");
  EXPECT_EQ(ErrorWith("proposal { name: \"mine\" charge: PAYLOAD }\n"), "");
}

TEST(ScenarioChecksTest, WantsBoundsInOrder) {
  EXPECT_TRUE(absl::StrContains(
      ErrorWith("host { kernel { stream_buffer_min_bytes: 300000 } }\n"),
      "host.kernel.stream_buffer_min_bytes: is above stream_buffer_max_bytes"));
}

TEST(ScenarioChecksTest, WantsANameAndAChoiceOfEachCost) {
  EXPECT_EQ(ErrorWith("cost {}\n"),
            "s.textproto:4:1: cost[0].name: missing\n"
            "s.textproto:4:1: cost[0]: needs at or value");
}

// Flows of one arm that would bind the same port.
std::string PortError(const std::string& type, int port,
                      const std::string& more) {
  return ErrorWith(absl::StrCat("flow { name: \"g\" type: ", type,
                                " from { cid: 3 } to { cid: 2 port: ", port,
                                " } ", more, " }\n"));
}

TEST(ArmChecksTest, FindsPortsThatTwoFlowsOfAnArmBind) {
  EXPECT_EQ(PortError("STREAM", 10, ""),
            "s.textproto:4:59: flow[1].to.port: in arm \"together\" the same "
            "port of cid 2 as flow[0].to.port");
  EXPECT_EQ(PortError("STREAM", 11, ""), "");
}

// Stream and datagram sockets have port spaces of their own.
TEST(ArmChecksTest, LetsAStreamAndADatagramHaveTheSamePort) {
  EXPECT_EQ(PortError("DGRAM", 10, ""), "");
}

TEST(ArmChecksTest, LetsFlowsThatNeverRunTogetherHaveTheSamePort) {
  EXPECT_EQ(PortError("STREAM", 10,
                      "} arm { name: \"a\" flow: \"lone\" } "
                      "arm { name: \"b\" flow: \"g\" "),
            "");
}

TEST(ArmChecksTest, CountsEveryPortOfARange) {
  const std::string pool =
      "flow { name: \"p\" type: DGRAM count: 4 from { cid: 3 } "
      "to { cid: 2 port: 100 } }\n";
  const auto other = [](int port) {
    return absl::StrCat("flow { name: \"q\" type: DGRAM from { cid: 3 } ",
                        "to { cid: 2 port: ", port, " } }\n");
  };

  EXPECT_TRUE(absl::StrContains(ErrorWith(pool + other(103)),
                                "the same port of cid 2 as flow[1].to.port"));
  EXPECT_EQ(ErrorWith(pool + other(104)), "");
}

TEST(ArmChecksTest, WantsAFlowOnceInAnArm) {
  EXPECT_TRUE(
      absl::StrContains(ErrorWith("arm { name: \"a\" flow: \"lone\" flow: "
                                  "\"lone\" }\n"),
                        "arm[0].flow[1]: \"lone\" is there twice"));
  EXPECT_TRUE(absl::StrContains(ErrorWith("arm { name: \"a\" }\n"),
                                "arm[0].flow: at least one is needed"));
}

TEST(ArmChecksTest, KnowsTheUnstressedArm) {
  EXPECT_EQ(ErrorWith("unstressed_arm: \"alon\"\n"),
            "s.textproto:4:1: unstressed_arm: no arm \"alon\"; there are: "
            "together");
}

constexpr char kTwoArms[] =
    "arm { name: \"a\" flow: \"lone\" } arm { name: \"b\" flow: \"lone\" }\n";

TEST(ArmChecksTest, ComparesArmsThatAreThereAndDiffer) {
  const auto error = [](const std::string& compare) {
    return ErrorWith(absl::StrCat(kTwoArms, "compare { ", compare, " }"));
  };

  EXPECT_EQ(error("arm: \"a\" against: \"b\" flow: \"lone\""), "");
  EXPECT_TRUE(absl::StrContains(error("arm: \"a\" against: \"a\" "
                                      "flow: \"lone\""),
                                "compare[0].against: must differ from arm"));
  EXPECT_TRUE(absl::StrContains(error("arm: \"a\" flow: \"lone\""),
                                "compare[0].against: missing"));
  EXPECT_TRUE(absl::StrContains(error("arm: \"a\" against: \"b\" "
                                      "flow: \"lon\""),
                                "compare[0].flow: no flow \"lon\"; did you "
                                "mean lone?"));
}

TEST(ArmChecksTest, ExpectsMetricsThatThereAre) {
  const auto error = [](const std::string& expect) {
    return ErrorWith(absl::StrCat("expect { ", expect, " }"));
  };

  EXPECT_EQ(error("metric: \"lone.share_of_unstressed\" at_least: 1"), "");
  EXPECT_EQ(error("metric: \"totals.kicks_sent\" at_most: 1"), "");
  EXPECT_EQ(error("metric: \"lone.latency.p99_us\" at_most: 1"), "");
  EXPECT_TRUE(absl::StrContains(
      error("metric: \"lone.latency.p98_us\" at_most: 1"),
      "expect[0].metric: no metric \"latency.p98_us\"; did you mean "));
  EXPECT_TRUE(absl::StrContains(error("metric: \"pool.jain_index\" at_most: 1"),
                                "expect[0].metric: no flow \"pool\""));
  EXPECT_TRUE(absl::StrContains(error("metric: \"lone\" at_most: 1"),
                                "expected <flow>.<metric> or totals.<metric>"));
}

TEST(ArmChecksTest, ExpectsSomethingThatCanHold) {
  const std::string metric = "expect { metric: \"lone.jain_index\" ";

  EXPECT_TRUE(absl::StrContains(ErrorWith(metric + "}"),
                                "expect[0]: needs at_least or at_most"));
  EXPECT_TRUE(absl::StrContains(ErrorWith(metric + "at_least: 2 at_most: 1 }"),
                                "expect[0].at_most: is below at_least"));
}

}  // namespace
}  // namespace sim
