// How a stream opens, or does not: protocol, time-outs and the caller's faults.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

using ::testing::TestWithParam;
using ::testing::Values;

constexpr Nanos kConnectTimeout{2'000'000'000};

std::string NameOf(const ::testing::TestParamInfo<Side>& side) {
  return side.param == Side::kGuest ? "FromGuest" : "FromHost";
}

// The client is on the side that is the parameter.
class StreamConnectTest : public TestWithParam<Side> {
 protected:
  Side client_side() const { return GetParam(); }
  Side server_side() const { return Other(GetParam()); }
  Transport& client() { return pair_.sockets(client_side()); }
  Transport& server() { return pair_.sockets(server_side()); }
  std::string StatusOf(const End& end) {
    return ErrnoOf(end.sockets->ConnectStatus(end.id));
  }

  VsockPair pair_;
};

INSTANTIATE_TEST_SUITE_P(BothSides, StreamConnectTest,
                         Values(Side::kGuest, Side::kHost), NameOf);

TEST_P(StreamConnectTest, OpensWithRequestAndResponse) {
  pair_.RecordWire();
  const SocketId listener = Listen(pair_, server_side());

  const End end = BeginConnect(pair_, client_side());
  EXPECT_EQ(StatusOf(end), "EAGAIN");
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "OK");
  EXPECT_TRUE(server().Accept(listener).ok());
  const auto& wire = pair_.wire().packets();
  ASSERT_EQ(wire.size(), 2u);
  EXPECT_TRUE(wire[0].is(Op::kRequest));
  EXPECT_TRUE(wire[1].is(Op::kResponse));
  EXPECT_EQ(wire[1].hdr.destination(), wire[0].hdr.source());
  EXPECT_EQ(wire[1].hdr.source(), wire[0].hdr.destination());
}

TEST_P(StreamConnectTest, IsRefusedAtOnceWhenNobodyIsBound) {
  const Instant begun = pair_.now();
  const End end = BeginConnect(pair_, client_side());
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "ECONNRESET");
  EXPECT_EQ(pair_.now(), begun);
}

TEST_P(StreamConnectTest, IsRefusedWhenThePortIsBoundAndNobodyListens) {
  const SocketId bound = *server().Open(Type::kStream);
  ASSERT_TRUE(server().Bind(bound, kTestPort).ok());

  const End end = BeginConnect(pair_, client_side());
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "ECONNRESET");
}

TEST_P(StreamConnectTest, IsRefusedWhenOnlyADatagramSocketHasThePort) {
  const SocketId bound = *server().Open(Type::kDgram);
  ASSERT_TRUE(server().Bind(bound, kTestPort).ok());

  const End end = BeginConnect(pair_, client_side());
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "ECONNRESET");
}

TEST_P(StreamConnectTest, TriesAgainOnTheSameSocketAfterARefusal) {
  const End end = BeginConnect(pair_, client_side());
  pair_.Run();
  ASSERT_EQ(StatusOf(end), "ECONNRESET");

  const SocketId listener = Listen(pair_, server_side());
  const Address to = pair_.address(server_side(), kTestPort);
  ASSERT_TRUE(client().Connect(end.id, to, pair_.now()).ok());
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "OK");
  EXPECT_TRUE(server().Accept(listener).ok());
}

TEST_P(StreamConnectTest, TimesOutTwoSecondsAfterTheRequest) {
  Listen(pair_, server_side());
  pair_.Pause(Worker::kDevice);
  const End end = BeginConnect(pair_, client_side());

  pair_.Advance(kConnectTimeout - Nanos(1));
  pair_.Run();
  EXPECT_EQ(StatusOf(end), "EAGAIN");
  pair_.Advance(Nanos(1));
  pair_.Run();

  EXPECT_EQ(StatusOf(end), "ETIMEDOUT");
}

TEST_P(StreamConnectTest, AnswersTheLateResponseWithRst) {
  const SocketId listener = Listen(pair_, server_side());
  pair_.Pause(Worker::kDevice);
  BeginConnect(pair_, client_side());
  pair_.Advance(kConnectTimeout);
  pair_.Run();

  pair_.Resume(Worker::kDevice);
  pair_.Run();

  const End child = {&server(), *server().Accept(listener)};
  EXPECT_EQ(child.state(), Connection::State::kClosed);
  EXPECT_EQ(ErrnoOf(child.Send(1).status), "EPIPE");
}

TEST_P(StreamConnectTest, DoesNotTimeOutOnceItIsOpen) {
  const Ends ends = Connect(pair_, client_side());

  pair_.Advance(kConnectTimeout * 10);
  pair_.Run();

  EXPECT_EQ(ends.client.state(), Connection::State::kEstablished);
  EXPECT_EQ(ends.client.Send(1).accepted, 1u);
  pair_.Run();
  EXPECT_EQ(ends.server.ReadLength(10), 1u);
}

TEST_P(StreamConnectTest, WakesTheClientWhenTheHandshakeIsOver) {
  Listen(pair_, server_side());
  const End end = BeginConnect(pair_, client_side());
  ASSERT_FALSE(client().WaitFor(end.id, kConnected));

  pair_.Run();

  int wakes = 0;
  client().TakeWakes([&](const Wake& wake) {
    EXPECT_EQ(wake.socket, end.id);
    ++wakes;
  });
  EXPECT_EQ(wakes, 1);
}

TEST_P(StreamConnectTest, WakesTheListenerForEachConnectionItSleepsFor) {
  const SocketId listener = Listen(pair_, server_side());
  EXPECT_EQ(ErrnoOf(server().Accept(listener)), "EAGAIN");
  ASSERT_FALSE(server().WaitFor(listener, kAcceptable));

  BeginConnect(pair_, client_side());
  BeginConnect(pair_, client_side());
  pair_.Run();

  int wakes = 0;
  server().TakeWakes([&](const Wake&) { ++wakes; });
  EXPECT_EQ(wakes, 1);  // it did not go to sleep again
  EXPECT_TRUE(server().Accept(listener).ok());
  EXPECT_TRUE(server().Accept(listener).ok());
}

TEST_P(StreamConnectTest, RefusesWhatTheBacklogDoesNotHold) {
  const SocketId listener = Listen(pair_, server_side(), kTestPort, 2);
  const End first = BeginConnect(pair_, client_side());
  const End second = BeginConnect(pair_, client_side());
  const End third = BeginConnect(pair_, client_side());
  pair_.Run();

  EXPECT_EQ(StatusOf(first), "OK");
  EXPECT_EQ(StatusOf(second), "OK");
  EXPECT_EQ(StatusOf(third), "ECONNRESET");

  ASSERT_TRUE(server().Accept(listener).ok());
  const End fourth = BeginConnect(pair_, client_side());
  pair_.Run();
  EXPECT_EQ(StatusOf(fourth), "OK");
}

TEST_P(StreamConnectTest, SendsNothingButTheRequestBeforeTheResponse) {
  Listen(pair_, server_side());
  const End end = BeginConnect(pair_, client_side());
  pair_.RecordWire();

  EXPECT_EQ(ErrnoOf(end.Send(10).status), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(end.ShutDown(kShutdownSend)), "ENOTCONN");
  EXPECT_TRUE(client().SetBufferSize(end.id, {.size = 4096}).ok());
  EXPECT_TRUE(client().SetLowWater(end.id, 100).ok());
  pair_.Run();

  ASSERT_EQ(pair_.wire().packets().size(), 3u);
  EXPECT_TRUE(pair_.wire().packets()[0].is(Op::kRequest));
  EXPECT_TRUE(pair_.wire().packets()[1].is(Op::kResponse));
  // What could not be said before: the buffer is another than the REQUEST's.
  EXPECT_TRUE(pair_.wire().packets()[2].is(Op::kCreditUpdate));
  EXPECT_EQ(pair_.wire().packets()[2].hdr.buf_alloc, 4096u);
}

// A server that speaks first, into a buffer of its client that is tiny.
TEST_P(StreamConnectTest, TheServersFirstPacketIsTheResponse) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.transport.stream_buffer.min = 0;
  options.guest.transport.stream_buffer.size = 0;
  options.host.transport.stream_buffer = options.guest.transport.stream_buffer;
  VsockPair pair(options);
  pair.RecordWire();
  const SocketId listener = Listen(pair, server_side());
  const End end = BeginConnect(pair, client_side());
  pair.Pause(client_side() == Side::kGuest ? Worker::kRx : Worker::kSend);
  pair.Run();
  const End child = {&pair.sockets(server_side()),
                     *pair.sockets(server_side()).Accept(listener)};

  EXPECT_EQ(child.Send(100).blocked, Blocked::kCredit);
  pair.Run();

  const auto from_server =
      pair.wire().From(/*guest=*/server_side() == Side::kGuest);
  ASSERT_FALSE(from_server.empty());
  EXPECT_TRUE(from_server[0].is(Op::kResponse));
  EXPECT_EQ(StatusOf(end), client_side() == Side::kGuest ? "EAGAIN" : "OK");
}

TEST_P(StreamConnectTest, ChildInheritsTheListenersBufferEvenBeyond32Bits) {
  const SocketId listener = Listen(pair_, server_side());
  const uint64_t size = uint64_t{1} << 32;
  ASSERT_TRUE(
      server().SetBufferSize(listener, {.size = size, .max = size}).ok());

  BeginConnect(pair_, client_side());
  pair_.Run();

  const End child = {&server(), *server().Accept(listener)};
  EXPECT_EQ(child.credit().buf_alloc(), 0xffffffffu);
}

TEST_P(StreamConnectTest, NamesTheCallersFaults) {
  const SocketId socket = *client().Open(Type::kStream);
  const Address to = pair_.address(server_side(), kTestPort);

  EXPECT_EQ(ErrnoOf(client().Listen(socket, 1)), "EINVAL");  // unbound
  EXPECT_EQ(ErrnoOf(client().Accept(socket)), "EINVAL");
  EXPECT_EQ(ErrnoOf(client().ConnectStatus(socket)), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(client().Send(socket, {.len = 1}).status), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(client().Receive(socket, nullptr, 1).status), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(client().Connect(socket, {client().cid(), kTestPort},
                                     pair_.now())),
            "ENODEV");
  ASSERT_TRUE(client().Bind(socket, Port(5)).ok());
  EXPECT_EQ(ErrnoOf(client().Bind(socket, Port(6))), "EINVAL");
  ASSERT_TRUE(client().Listen(socket, 1).ok());
  EXPECT_EQ(ErrnoOf(client().Connect(socket, to, pair_.now())), "EINVAL");
  const SocketId other = *client().Open(Type::kStream);
  EXPECT_EQ(ErrnoOf(client().Bind(other, Port(5))), "EADDRINUSE");
  EXPECT_EQ(ErrnoOf(client().Open(Type::kSeqpacket)), "EINVAL");
}

TEST_P(StreamConnectTest, NamesTheFaultsOfACallerThatIsConnected) {
  const Ends ends = Connect(pair_, client_side());
  const Address to = pair_.address(server_side(), kTestPort);

  EXPECT_EQ(ErrnoOf(client().Connect(ends.client.id, to, pair_.now())),
            "EISCONN");
  EXPECT_EQ(ErrnoOf(client().Listen(ends.client.id, 1)), "EINVAL");
  EXPECT_EQ(ErrnoOf(client().Send(ends.client.id, {.len = 1, .to = to}).status),
            "EISCONN");
  EXPECT_EQ(ErrnoOf(ends.client.ShutDown(0)), "EINVAL");
  EXPECT_EQ(ErrnoOf(ends.client.ShutDown(4)), "EINVAL");
}

TEST(StreamConnectToNobodyTest, HostKnowsThatNoDeviceLeadsThere) {
  VsockPair pair;
  Transport& host = pair.host_sockets();
  const SocketId socket = *host.Open(Type::kStream);

  EXPECT_EQ(ErrnoOf(host.Connect(socket, {Cid(77), kTestPort}, pair.now())),
            "ENODEV");
}

TEST(StreamConnectToNobodyTest, GuestHearsNothingOfAContextIdWithoutAGuest) {
  VsockPair pair;
  Transport& guest = pair.guest_sockets();
  const SocketId socket = *guest.Open(Type::kStream);
  ASSERT_TRUE(guest.Connect(socket, {Cid(77), kTestPort}, pair.now()).ok());
  pair.Run();

  EXPECT_EQ(pair.device().losses().counters()[DropReason::kWrongCid].packets,
            1u);
  EXPECT_EQ(ErrnoOf(guest.ConnectStatus(socket)), "EAGAIN");
  pair.Advance(kConnectTimeout);
  pair.Run();
  EXPECT_EQ(ErrnoOf(guest.ConnectStatus(socket)), "ETIMEDOUT");
}

TEST(StreamConnectToNobodyTest, TypeThatWasNotNegotiatedIsAnsweredWithRst) {
  VsockPair::Options options = VsockPair::Defaults();
  options.host.transport.features =
      Features(Features::kNoImpliedStream | Features::kDgram);
  VsockPair pair(options);

  const End end = BeginConnect(pair, Side::kGuest);
  pair.Run();

  EXPECT_EQ(ErrnoOf(pair.guest_sockets().ConnectStatus(end.id)), "ECONNRESET");
  EXPECT_EQ(ErrnoOf(pair.host_sockets().Open(Type::kStream)), "EINVAL");
}

}  // namespace
}  // namespace vsock
