// How a stream ends: half and full close, time-outs, and the life of its name.

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "virtqueue/check.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

using ::testing::Combine;
using ::testing::TestWithParam;
using ::testing::Values;

constexpr Nanos kCloseTimeout{8'000'000'000};

using HalfCloseParam = std::tuple<Side, bool>;

std::string NameOf(const ::testing::TestParamInfo<HalfCloseParam>& tested) {
  const auto [client, client_first] = tested.param;
  return std::string(client == Side::kGuest ? "Guest" : "Host") + "Connects" +
         (client_first ? "Client" : "Server") + "First";
}

VsockPair::Options TinyRings() {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = 2;
  return options;
}

// Sends all of `bytes` while the other end reads; stops when it has them all.
std::vector<std::byte> Transfer(VsockPair& pair, const End& from, const End& to,
                                const std::vector<std::byte>& bytes) {
  std::vector<std::byte> got;
  size_t sent = 0;
  while (got.size() < bytes.size()) {
    if (sent < bytes.size()) {
      sent += from.sockets
                  ->Send(from.id,
                         {.data = bytes.data() + sent,
                          .len = static_cast<uint32_t>(bytes.size() - sent)})
                  .accepted;
    }
    pair.Run();
    const std::vector<std::byte> piece = to.Read(65536);
    if (piece.empty()) break;
    got.insert(got.end(), piece.begin(), piece.end());
  }
  return got;
}

// Which side opened the connection, and which end says it has no more to send.
class HalfCloseTest : public TestWithParam<HalfCloseParam> {
 protected:
  HalfCloseTest() {
    const Ends ends = Connect(pair_, std::get<0>(GetParam()));
    const bool client_first = std::get<1>(GetParam());
    first_ = client_first ? ends.client : ends.server;
    second_ = client_first ? ends.server : ends.client;
  }

  VsockPair pair_;
  End first_;
  End second_;
};

INSTANTIATE_TEST_SUITE_P(AllFour, HalfCloseTest,
                         Combine(Values(Side::kGuest, Side::kHost),
                                 Values(true, false)),
                         NameOf);

TEST_P(HalfCloseTest, RequestEndOfFileAnswerOfOneMegabyteAndClose) {
  const std::vector<std::byte> question = Pattern(1000, 1);
  const std::vector<std::byte> answer = Pattern(1 << 20, 2);
  first_.SendBytes(question);
  ASSERT_TRUE(first_.ShutDown(kShutdownSend).ok());
  pair_.Run();

  EXPECT_TRUE(second_.Read(5000) == question);
  EXPECT_TRUE(second_.AtEnd());
  EXPECT_TRUE(Transfer(pair_, second_, first_, answer) == answer);
  EXPECT_FALSE(first_.AtEnd());
  Close(pair_, second_);
  pair_.Run();
  EXPECT_TRUE(first_.AtEnd());
  Close(pair_, first_);
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_TRUE(second_.gone());
}

TEST_P(HalfCloseTest, ReaderAfterItsOwnHalfCloseKeepsAnnouncingCredit) {
  const std::vector<std::byte> bytes = Pattern(3 * 262144, 3);
  ASSERT_TRUE(first_.ShutDown(kShutdownSend).ok());

  EXPECT_TRUE(Transfer(pair_, second_, first_, bytes) == bytes);
}

TEST_P(HalfCloseTest, SenderIsToldThatItsReaderIsGone) {
  ASSERT_TRUE(first_.ShutDown(kShutdownReceive).ok());
  EXPECT_TRUE(first_.AtEnd());
  pair_.Run();

  EXPECT_EQ(ErrnoOf(second_.Send(1).status), "EPIPE");
  EXPECT_EQ(first_.Send(1).accepted, 1u);  // the other direction is open
  pair_.Run();
  EXPECT_EQ(second_.ReadLength(10), 1u);
}

TEST_P(HalfCloseTest, HintsAddUpAndAreNeverTakenBack) {
  pair_.RecordWire();
  ASSERT_TRUE(first_.ShutDown(kShutdownSend).ok());
  pair_.Run();
  EXPECT_EQ(second_.socket().connection->peer_shutdown(), kShutdownSend);
  ASSERT_TRUE(first_.ShutDown(kShutdownReceive).ok());
  pair_.Run();

  const auto hints = pair_.wire().Only(Op::kShutdown);
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints[0].hdr.flags, kShutdownSend);
  EXPECT_EQ(hints[1].hdr.flags, kShutdownReceive);
  EXPECT_EQ(pair_.wire().Only(Op::kRst).size(), 1u);
  EXPECT_EQ(first_.state(), Connection::State::kClosed);
}

TEST_P(HalfCloseTest, OwnSideOfTheShutDirectionSaysBrokenPipe) {
  ASSERT_TRUE(first_.ShutDown(kShutdownSend).ok());

  EXPECT_EQ(ErrnoOf(first_.Send(1).status), "EPIPE");
  EXPECT_EQ(first_.sockets->Send(first_.id, {.len = 1}).accepted, 0u);
}

// `first_` closes, and `second_` has not.
class FullCloseTest : public HalfCloseTest {};

INSTANTIATE_TEST_SUITE_P(AllFour, FullCloseTest,
                         Combine(Values(Side::kGuest, Side::kHost),
                                 Values(true, false)),
                         NameOf);

TEST_P(FullCloseTest, IsAShutdownAnsweredByRst) {
  pair_.RecordWire();
  Close(pair_, first_);
  pair_.Run();

  const auto& wire = pair_.wire().packets();
  ASSERT_EQ(wire.size(), 2u);
  EXPECT_TRUE(wire[0].is(Op::kShutdown));
  EXPECT_EQ(wire[0].hdr.flags, kShutdownBoth);
  EXPECT_TRUE(wire[1].is(Op::kRst));
  EXPECT_TRUE(first_.gone());
  EXPECT_TRUE(second_.AtEnd());
  EXPECT_EQ(ErrnoOf(second_.Send(1).status), "EPIPE");
}

TEST_P(FullCloseTest, LeavesWhatWasSentToBeReadAndThenEnds) {
  ASSERT_EQ(first_.Send(1).accepted, 1u);
  Close(pair_, first_);
  pair_.Run();

  EXPECT_EQ(ErrnoOf(second_.Send(1).status), "EPIPE");
  EXPECT_EQ(second_.ReadLength(10), 1u);
  EXPECT_TRUE(second_.AtEnd());
  EXPECT_FALSE(first_.gone());  // the peer still holds the flow
  Close(pair_, second_);
  pair_.Run();
  EXPECT_TRUE(first_.gone());
}

TEST_P(FullCloseTest, SendsRstItselfEightSecondsAfterAnUnansweredShutdown) {
  ASSERT_EQ(first_.Send(1).accepted, 1u);  // unread, so no RST is due
  Close(pair_, first_);
  pair_.Run();

  pair_.Advance(kCloseTimeout - Nanos(1));
  pair_.Run();
  EXPECT_FALSE(first_.gone());
  EXPECT_EQ(second_.state(), Connection::State::kEstablished);
  pair_.Advance(Nanos(1));
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_EQ(second_.state(), Connection::State::kClosed);
  EXPECT_EQ(second_.ReadLength(10), 1u);
}

TEST_P(FullCloseTest, FlowIsNotReusedWhileThePeerHoldsIt) {
  const Port local = *first_.socket().port;
  const Address remote = *first_.socket().peer;
  ASSERT_EQ(first_.Send(1).accepted, 1u);
  Close(pair_, first_);
  pair_.Run();

  Transport& sockets = *first_.sockets;
  const SocketId next = *sockets.Open(Type::kStream);
  ASSERT_TRUE(sockets.Bind(next, local).ok());
  EXPECT_EQ(ErrnoOf(sockets.Connect(next, remote, pair_.now())), "EADDRINUSE");
  Close(pair_, second_);
  pair_.Run();

  EXPECT_EQ(ErrnoOf(sockets.Connect(next, remote, pair_.now())), "OK");
}

TEST_P(FullCloseTest, ReleasesWhatTheCloserNeverRead) {
  ASSERT_EQ(second_.Send(5000).accepted, 5000u);
  pair_.Run();
  Close(pair_, first_);
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_TRUE(second_.AtEnd());
}

TEST_P(FullCloseTest, BothAtOnceEndAtOnceThoughBothHadUnreadBytes) {
  ASSERT_EQ(first_.Send(5000).accepted, 5000u);
  ASSERT_EQ(second_.Send(5000).accepted, 5000u);
  pair_.Run();

  Close(pair_, first_);
  Close(pair_, second_);
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_TRUE(second_.gone());
}

// Nobody will read what is queued, so nothing keeps the RST back.
TEST_P(FullCloseTest, EndsAtOnceWhenTheOtherSideShutsDownInsteadOfReading) {
  ASSERT_EQ(first_.Send(5000).accepted, 5000u);
  Close(pair_, first_);
  pair_.Run();
  ASSERT_FALSE(first_.gone());

  ASSERT_TRUE(second_.ShutDown(kShutdownBoth).ok());
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_EQ(second_.state(), Connection::State::kClosed);
}

TEST_P(FullCloseTest, EndsAtOnceWhenTheOtherSideHadShutDownWithBytesUnread) {
  ASSERT_EQ(first_.Send(5000).accepted, 5000u);
  pair_.Run();
  ASSERT_TRUE(second_.ShutDown(kShutdownBoth).ok());
  Close(pair_, first_);
  pair_.Run();

  EXPECT_TRUE(first_.gone());
  EXPECT_EQ(second_.state(), Connection::State::kClosed);
}

TEST_P(FullCloseTest, NoRstIsEverAnsweredWhenBothCloseAtOnce) {
  pair_.RecordWire();
  Close(pair_, first_);
  Close(pair_, second_);
  pair_.Run();

  EXPECT_EQ(pair_.wire().Only(Op::kShutdown).size(), 2u);
  EXPECT_EQ(pair_.wire().Only(Op::kRst).size(), 2u);  // one for each SHUTDOWN
  EXPECT_EQ(pair_.wire().packets().size(), 4u);
  EXPECT_TRUE(first_.gone());
  EXPECT_TRUE(second_.gone());
}

TEST_P(FullCloseTest, ReadingAndWritingOnAClosedSocketIsTheCallersFault) {
  Transport& sockets = *first_.sockets;
  ASSERT_EQ(first_.Send(1).accepted, 1u);  // so that the flow lives on
  Close(pair_, first_);
  const Address to = *second_.socket().peer;
  const SocketId id = first_.id;

  EXPECT_EQ(ErrnoOf(sockets.Close(id, pair_.now())), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Bind(id, Port(5))), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Listen(id, 5)), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Accept(id)), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Connect(id, to, pair_.now())), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.ConnectStatus(id)), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.ShutDown(id, kShutdownSend)), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Send(id, {.len = 1}).status), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.Receive(id, nullptr, 1).status), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.SetBufferSize(id, {})), "EBADF");
  EXPECT_EQ(ErrnoOf(sockets.SetLowWater(id, 5)), "EBADF");
  EXPECT_TRUE(sockets.WaitFor(id, kAllEvents));
}

// The client's port is reused at once, with packets of the old flow about.
class TupleReuseTest : public TestWithParam<Side> {
 protected:
  Side client_side() const { return GetParam(); }

  // The same flow again. Null if it is still held.
  std::optional<End> Reconnect(Port local) {
    Transport& sockets = pair_.sockets(client_side());
    const SocketId id = *sockets.Open(Type::kStream);
    VSOCK_CHECK(sockets.Bind(id, local).ok());
    const Address to = pair_.address(Other(client_side()), kTestPort);
    if (!sockets.Connect(id, to, pair_.now()).ok()) {
      VSOCK_CHECK(sockets.Close(id, pair_.now()).ok());
      return std::nullopt;
    }
    return End{&sockets, id};
  }

  VsockPair pair_{TinyRings()};
};

INSTANTIATE_TEST_SUITE_P(BothSides, TupleReuseTest,
                         Values(Side::kGuest, Side::kHost));

// Whatever the interleaving: as soon as the flow can be had, it opens, and no
// RST of the old one ends it.
TEST_P(TupleReuseTest, StaleRstOfTwoClosesDoesNotEndTheNextConnection) {
  Transport& server = pair_.sockets(Other(client_side()));
  const Ends old = Connect(pair_, client_side());
  const SocketId listener = Listen(pair_, Other(client_side()));
  const Port local = *old.client.socket().port;
  Close(pair_, old.client);
  Close(pair_, old.server);

  std::optional<End> next = Reconnect(local);
  pair_.TakeUp();
  while (!next.has_value()) {
    for (const Worker worker : kAllWorkers) {
      if (!next.has_value() && pair_.HasWork(worker)) {
        pair_.Step(worker);
        next = Reconnect(local);
      }
    }
  }
  pair_.Run();

  EXPECT_EQ(ErrnoOf(next->sockets->ConnectStatus(next->id)), "OK");
  const End child = {&server, *server.Accept(listener)};
  EXPECT_EQ(next->Send(10).accepted, 10u);
  pair_.Run();
  EXPECT_EQ(child.ReadLength(100), 10u);
}

TEST_P(TupleReuseTest, CloseDoesNotOvertakeBufferedData) {
  const Ends ends = Connect(pair_, client_side());
  const std::vector<std::byte> bytes = Pattern(262144, 4);
  ends.client.SendBytes(bytes);
  Close(pair_, ends.client);
  pair_.Run();

  std::vector<std::byte> got;
  while (got.size() < bytes.size()) {
    const std::vector<std::byte> piece = ends.server.Read(3000);
    ASSERT_FALSE(piece.empty());
    got.insert(got.end(), piece.begin(), piece.end());
    pair_.Run();
  }

  EXPECT_TRUE(got == bytes);
  EXPECT_TRUE(ends.server.AtEnd());
}

TEST(ListenerCloseTest, EndsTheConnectionsThatNobodyAccepted) {
  VsockPair pair;
  const SocketId listener = Listen(pair, Side::kHost);
  const End client = BeginConnect(pair, Side::kGuest);
  pair.Run();
  ASSERT_EQ(client.state(), Connection::State::kEstablished);

  ASSERT_TRUE(pair.host_sockets().Close(listener, pair.now()).ok());
  pair.Run();

  EXPECT_TRUE(client.AtEnd());
  EXPECT_EQ(pair.host_sockets().table().size(), 0u);
}

TEST(ConnectingCloseTest, LateResponseFindsNobodyAndIsReset) {
  VsockPair pair;
  const SocketId listener = Listen(pair, Side::kHost);
  const End client = BeginConnect(pair, Side::kGuest);
  Close(pair, client);
  pair.Run();

  EXPECT_TRUE(client.gone());
  const End child = {&pair.host_sockets(),
                     *pair.host_sockets().Accept(listener)};
  EXPECT_EQ(child.state(), Connection::State::kClosed);
}

}  // namespace
}  // namespace vsock
