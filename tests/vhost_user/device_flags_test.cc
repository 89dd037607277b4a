#include "vsock/vhost_user/device_flags.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/server.h"
#include "vsock/vhost_user/service.h"

namespace vsock::vhost_user {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Server::Options> Read(std::vector<std::string> args) {
  args.push_back("--socket=/tmp/s");
  return ReadDeviceFlags(args);
}

std::string FaultOf(const std::vector<std::string>& args) {
  return std::string(Read(args).status().message());
}

TEST(DeviceFlagsTest, HaveDefaultsForAllButTheSocket) {
  const auto options = Read({});

  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->socket, "/tmp/s");
  EXPECT_EQ(options->guest_cid, Cid(3));
  EXPECT_FALSE(options->proposal.has_value());
  EXPECT_EQ(options->ring_features,
            kEventIdx | kIndirectDesc | kRingPacked | kInOrder);
  EXPECT_EQ(options->services.size(), 5u);
  EXPECT_EQ(options->forward, "");
  EXPECT_FALSE(ReadDeviceFlags({}).ok());
}

TEST(DeviceFlagsTest, NameWhatIsOfferedOfTheRings) {
  EXPECT_EQ(Read({"--ring-features=packed,event_idx"})->ring_features,
            kEventIdx | kRingPacked);
  EXPECT_EQ(Read({"--ring-features=none"})->ring_features, 0u);
  EXPECT_THAT(FaultOf({"--ring-features=packet"}), HasSubstr("\"packet\""));
}

TEST(DeviceFlagsTest, NameAProposal) {
  EXPECT_EQ(Read({"--proposal=linux-2026"})->proposal->name, "linux-2026");
  EXPECT_THAT(FaultOf({"--proposal=linux-1999"}), HasSubstr("linux-2023"));
}

TEST(DeviceFlagsTest, NameServices) {
  const auto options = Read({"--services=source:5:100,echo:6"});

  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_EQ(options->services.size(), 2u);
  EXPECT_EQ(options->services[0].kind, ServiceKind::kSource);
  EXPECT_EQ(options->services[0].port, Port(5));
  EXPECT_EQ(options->services[0].argument, 100u);
  EXPECT_EQ(options->services[1].kind, ServiceKind::kEcho);
  EXPECT_TRUE(Read({"--services=none"})->services.empty());
}

TEST(DeviceFlagsTest, RefuseServicesThatAreNone) {
  for (const char* text : {"ech:1", "echo", "echo:x", "echo:1:2:3", "echo:-1",
                           "echo:4294967295", "slow:1:fast"}) {
    EXPECT_THAT(FaultOf({std::string("--services=") + text}),
                HasSubstr("not NAME:PORT"))
        << text;
  }
  EXPECT_THAT(FaultOf({"--services=echo:1,slow:1"}),
              HasSubstr("port 1 is given to two services"));
}

TEST(DeviceFlagsTest, RefuseWhatIsNoFlag) {
  EXPECT_FALSE(Read({"--cid=x"}).ok());
  EXPECT_FALSE(Read({"--sockets=x"}).ok());
  EXPECT_FALSE(Read({"socket"}).ok());
}

TEST(DeviceFlagsTest, SayThatHelpWasAsked) {
  EXPECT_TRUE(absl::IsCancelled(Read({"--help"}).status()));
  EXPECT_THAT(DeviceHelp(), HasSubstr("--forward"));
}

}  // namespace
}  // namespace vsock::vhost_user
