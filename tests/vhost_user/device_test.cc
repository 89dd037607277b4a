// The whole device, by its socket and by guest memory, for a lawful guest.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/vhost_user/test_guest.h"
#include "tests/vhost_user/world.h"
#include "virtqueue/ring_format.h"
#include "vsock/connection.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"
#include "vsock/vhost_user/counters.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;
using virtqueue::RingFormat;

constexpr char kServices[] =
    "echo:1000,discard:1001,source:1002,close:1003,slow:1004:4194304,"
    "source:1005:1000";

World::Options Options(const TestGuest::Options& guest = {}) {
  return {.guest = guest, .services = kServices};
}

// What holds on every ring.

class RingsTest
    : public ::testing::TestWithParam<std::tuple<RingFormat, bool, bool>> {
 protected:
  RingsTest() { world_.Start(); }

  World world_{Options({.format = std::get<0>(GetParam()),
                        .event_idx = std::get<1>(GetParam()),
                        .indirect = std::get<2>(GetParam())})};
};

TEST_P(RingsTest, GuestReadsBackWhatItWrote) {
  const std::vector<std::byte> bytes = Pattern(1'000'000);
  const SocketId socket = world_.Connect(1000);

  std::vector<std::byte> back;
  for (size_t i = 0; i < bytes.size(); i += 100'000) {
    world_.Send(socket, {bytes.begin() + i, bytes.begin() + i + 100'000});
    const auto piece = world_.Read(socket, 100'000);
    back.insert(back.end(), piece.begin(), piece.end());
  }

  EXPECT_EQ(back, bytes);
  EXPECT_EQ(world_.Count().ring_faults, 0u);
}

TEST_P(RingsTest, GuestHearsTheRestAfterItHasHalfClosed) {
  const SocketId socket = world_.Connect(1000);

  world_.Send(socket, Pattern(100'000));
  world_.ShutDown(socket, kShutdownSend);

  EXPECT_EQ(world_.ReadToEnd(socket), Pattern(100'000));
}

TEST_P(RingsTest, SourceStopsWhereCreditEndsAndGoesOnWhereItBegins) {
  const SocketId socket = world_.Connect(1002);
  world_.Settle();
  EXPECT_EQ(world_.guest().sockets().Readable(socket, 1 << 30), 262144u);

  EXPECT_EQ(world_.Read(socket, 2'000'000), Pattern(2'000'000));
}

TEST_P(RingsTest, ManyConnectionsAtOnceDoNotMix) {
  std::vector<SocketId> sockets;
  for (int i = 0; i < 100; ++i) sockets.push_back(world_.Connect(1000));

  for (size_t i = 0; i < sockets.size(); ++i) {
    world_.Send(sockets[i], Pattern(i + 1));
  }

  for (size_t i = 0; i < sockets.size(); ++i) {
    EXPECT_EQ(world_.Read(sockets[i], i + 1), Pattern(i + 1));
  }
}

TEST_P(RingsTest, ConnectionGoesOnWhenTheRingsDo) {
  const SocketId socket = world_.Connect(1000);
  world_.Send(socket, Pattern(70'000));
  EXPECT_EQ(world_.Read(socket, 70'000), Pattern(70'000));

  world_.guest().SendRings(world_.StopRings());
  world_.Send(socket, Pattern(70'000));

  EXPECT_EQ(world_.Read(socket, 70'000), Pattern(70'000));
  EXPECT_EQ(world_.Count().drivers, 1u);
}

TEST_P(RingsTest, ConnectionGoesOnInNewMemory) {
  const SocketId socket = world_.Connect(1002);
  EXPECT_EQ(world_.Read(socket, 100'000), Pattern(100'000));

  world_.guest().SendMemory();

  const auto all = Pattern(600'000);
  EXPECT_EQ(world_.Read(socket, 500'000),
            std::vector<std::byte>(all.begin() + 100'000, all.end()));
}

TEST_P(RingsTest, ADriverThatBeginsAnewFindsTheHostAnew) {
  const SocketId old = world_.Connect(1000);
  world_.Send(old, Pattern(1000));
  world_.StopRings();

  world_.guest().Boot();
  world_.guest().SendRings(world_.guest().BeginOfRings());
  const SocketId socket = world_.Connect(1000);
  world_.Send(socket, Pattern(70'000));

  EXPECT_EQ(world_.Read(socket, 70'000), Pattern(70'000));
  EXPECT_EQ(world_.Count().drivers, 2u);
}

TEST_P(RingsTest, SmallPacketsGetThrough) {
  const SocketId socket = world_.Connect(1000);
  const std::vector<std::byte> bytes = Pattern(129);

  for (int i = 0; i < 1000; ++i) {
    world_.Send(socket, bytes);
    ASSERT_EQ(world_.Read(socket, 129), bytes);
  }
}

std::string NameOf(const ::testing::TestParamInfo<RingsTest::ParamType>& info) {
  const auto& [format, event_idx, indirect] = info.param;
  return std::string(format == RingFormat::kPacked ? "Packed" : "Split") +
         (event_idx ? "EventIdx" : "Flags") + (indirect ? "Indirect" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Every, RingsTest,
    ::testing::Combine(::testing::Values(RingFormat::kSplit,
                                         RingFormat::kPacked),
                       ::testing::Bool(), ::testing::Bool()),
    NameOf);

// What does not depend on the ring.

class DeviceTest : public ::testing::Test {
 protected:
  World& Start(const World::Options& options = Options()) {
    world_.emplace(options);
    world_->Start();
    return *world_;
  }

  std::optional<World> world_;
};

TEST_F(DeviceTest, AnswersInQemusOrderOfMessages) {
  World world(Options());
  world.guest().Connect(world.Path("device"));

  world.guest().SendSetUp();

  EXPECT_EQ(world.Answer().size(), 8u);   // GET_FEATURES
  EXPECT_EQ(world.Answer().size(), 8u);   // GET_PROTOCOL_FEATURES
  EXPECT_EQ(world.Answer().size(), 8u);   // GET_QUEUE_NUM
  EXPECT_EQ(world.Answer().size(), 20u);  // GET_CONFIG
  EXPECT_TRUE(world.RunUntil([&] { return world.Count().drivers == 1; }));
}

TEST_F(DeviceTest, RefusesAPortThatNobodyHas) {
  absl::Status status;

  Start().Connect(7777, &status);

  EXPECT_THAT(std::string(status.message()), StartsWith("ECONNRESET"));
}

TEST_F(DeviceTest, ClosesAtOnceWhatTheCloseServiceAccepts) {
  World& world = Start();

  const SocketId socket = world.Connect(1003);

  EXPECT_THAT(world.ReadToEnd(socket), IsEmpty());
  EXPECT_FALSE(world.guest().sockets().Send(socket, {.len = 1}).status.ok());
}

TEST_F(DeviceTest, MakesTheWriterWaitForASlowReader) {
  World& world = Start();
  const SocketId socket = world.Connect(1004);

  world.Send(socket, Pattern(600'000));
  world.ShutDown(socket, kShutdownSend);

  EXPECT_THAT(world.ReadToEnd(socket), IsEmpty());
  EXPECT_EQ(world.Count().packets.stream_bytes_received, 600'000u);
}

TEST_F(DeviceTest, HearsTheGuestAfterItHasHalfClosed) {
  World& world = Start();
  const SocketId socket = world.Connect(1005);
  EXPECT_EQ(world.ReadToEnd(socket), Pattern(1000));

  world.Send(socket, Pattern(300'000));
  world.Settle();

  EXPECT_EQ(world.Count().packets.stream_bytes_received, 300'000u);
}

TEST_F(DeviceTest, EchoesDatagramsOfAProposal) {
  World& world = Start({.guest = {.datagrams = true},
                        .services = kServices,
                        .offers_datagrams = true});
  Transport& sockets = world.guest().sockets();
  const SocketId socket = *sockets.Open(Type::kDgram);
  const std::vector<std::byte> sent = Pattern(3000);

  ASSERT_TRUE(sockets
                  .Send(socket, {.data = sent.data(),
                                 .len = 3000,
                                 .to = Address{kCidHost, Port(1000)}})
                  .status.ok());
  ASSERT_TRUE(
      world.RunUntil([&] { return sockets.IsReady(socket, kReadable); }));

  std::vector<std::byte> got(3001);
  EXPECT_EQ(sockets.Receive(socket, got.data(), 3001).bytes, 3000u);
  got.resize(3000);
  EXPECT_EQ(got, sent);
}

TEST_F(DeviceTest, OffersNoDatagramsWithoutAProposal) {
  World world(Options());
  world.guest().Connect(world.Path("device"));

  world.guest().Send(Request::kGetFeatures);

  const std::vector<std::byte> answer = world.Answer();
  ASSERT_EQ(answer.size(), 8u);
  EXPECT_EQ(answer[0], std::byte{1 | 4});  // STREAM, NO_IMPLIED_STREAM
}

TEST_F(DeviceTest, UsesBuffersInOrderIfThatIsNegotiated) {
  for (const RingFormat format : {RingFormat::kSplit, RingFormat::kPacked}) {
    World& world = Start(Options({.format = format, .in_order = true}));
    const SocketId socket = world.Connect(1000);
    for (int i = 0; i < 10; ++i) {
      world.Send(socket, Pattern(100'000));
      EXPECT_EQ(world.Read(socket, 100'000), Pattern(100'000));
      world.guest().SendRings(world.StopRings());
    }
    EXPECT_EQ(world.Count().ring_faults, 0u);
  }
}

TEST_F(DeviceTest, PollsRingsThatHaveNoKick) {
  World& world = Start(Options({.kicks = false}));
  const SocketId socket = world.Connect(1000);

  world.Send(socket, Pattern(70'000));

  EXPECT_EQ(world.Read(socket, 70'000), Pattern(70'000));
  EXPECT_EQ(world.Count().kicks[kTxQueue], 0u);
}

TEST_F(DeviceTest, ServesTheNextFrontEndWhenOneHasGone) {
  World& world = Start();
  world.Connect(1000);
  world.guest().Disconnect();
  world.Settle();

  world.guest().Boot();
  world.guest().Connect(world.Path("device"));
  world.guest().SendSetUp();
  const SocketId socket = world.Connect(1000);
  world.Send(socket, Pattern(1000));

  EXPECT_EQ(world.Read(socket, 1000), Pattern(1000));
  EXPECT_EQ(world.Count().front_end_faults, 0u);
}

TEST_F(DeviceTest, IsRestartedUnderAGuestThatLives) {
  World& world = Start();
  const SocketId old = world.Connect(1000);
  world.Settle();
  world.RestartDevice();

  world.guest().Connect(world.Path("device"));
  world.guest().SendSetUp(world.guest().BasesInMemory());
  const SocketId socket = world.Connect(1000);
  world.Send(socket, Pattern(1000));

  EXPECT_EQ(world.Read(socket, 1000), Pattern(1000));
  world.Send(old, Pattern(1));
  EXPECT_THAT(world.ReadToEnd(old), IsEmpty());
}

TEST_F(DeviceTest, IsResetByTheMessageForIt) {
  World& world = Start();
  world.guest().Send(Request::kResetDevice);
  world.guest().Boot();

  world.guest().SendSetUp();
  ASSERT_TRUE(world.RunUntil([&] { return world.Count().drivers == 2; }));
  const SocketId socket = world.Connect(1000);
  world.Send(socket, Pattern(1000));

  EXPECT_EQ(world.Read(socket, 1000), Pattern(1000));
}

TEST_F(DeviceTest, LeavesNothingBehind) {
  World world(Options());
  const std::string path = world.Path("device");
  world.Start();

  world.RestartDevice();  // which would fail if the path was taken

  EXPECT_EQ(world.Count().front_ends, 0u);
}

TEST_F(DeviceTest, CountsWhatItDid) {
  World& world = Start();
  const SocketId socket = world.Connect(1000);
  world.Send(socket, Pattern(100));
  world.ShutDown(socket, kShutdownSend);
  world.ReadToEnd(socket);
  world.Settle();

  const Counters counters = world.Count();

  EXPECT_EQ(counters.packets.received[static_cast<size_t>(Op::kRequest)], 1u);
  EXPECT_EQ(counters.packets.sent[static_cast<size_t>(Op::kResponse)], 1u);
  EXPECT_EQ(counters.packets.stream_bytes_received, 100u);
  EXPECT_EQ(counters.packets.stream_bytes_sent, 100u);
  EXPECT_EQ(counters.connections_accepted, 1u);
  EXPECT_EQ(counters.packets.rst_answered, 0u);
}

}  // namespace
}  // namespace vsock::vhost_user
