// Every state of a stream socket against every operation: what is answered,
// and which state follows. The table is the one of Linux, as the specification
// allows it; where it says nothing, the packet is ignored and counted.

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/lone_transport.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

constexpr Port kPort{10};

enum class State {
  kNoSocket,
  kBoundOnly,
  kListening,
  kConnecting,
  kEstablished,
  kClosing,
};
constexpr State kAllStates[] = {State::kNoSocket,    State::kBoundOnly,
                                State::kListening,   State::kConnecting,
                                State::kEstablished, State::kClosing};

// Where the flow stands after the packet: no socket holds it (any more), or
// the connection that does is in this state.
using After = std::optional<Connection::State>;
constexpr After kHeldByNobody = std::nullopt;
constexpr After kOpen = Connection::State::kEstablished;
constexpr After kClosingStill = Connection::State::kClosing;

struct Outcome {
  Op reply;
  After after;
  bool counted;  // as malformed
};
constexpr Op kNothing = Op::kInvalid;

struct Arrival {
  Op op;
  uint32_t len;
  uint32_t flags;
};
// Each operation; SHUTDOWN with each of its hints; one that does not exist.
constexpr Arrival kAllPackets[] = {{Op::kInvalid, 0, 0},
                                   {Op::kRequest, 0, 0},
                                   {Op::kResponse, 0, 0},
                                   {Op::kRst, 0, 0},
                                   {Op::kShutdown, 0, 0},
                                   {Op::kShutdown, 0, 1},
                                   {Op::kShutdown, 0, 2},
                                   {Op::kShutdown, 0, 3},
                                   {Op::kRw, 5, 0},
                                   {Op::kCreditUpdate, 0, 0},
                                   {Op::kCreditRequest, 0, 0},
                                   {static_cast<Op>(8), 0, 0}};

// The row of nobody: RST to all but RST.
Outcome WithoutConnection(Op op) {
  return {op == Op::kRst ? kNothing : Op::kRst, kHeldByNobody, false};
}

Outcome WhileListening(Op op) {
  if (op == Op::kRequest) return {Op::kResponse, kOpen, false};
  return WithoutConnection(op);
}

Outcome WhileConnecting(Op op) {
  if (op == Op::kResponse) return {kNothing, kOpen, false};
  if (op == Op::kRst) return {kNothing, kHeldByNobody, false};
  return {Op::kRst, kHeldByNobody, false};
}

Outcome WhileEstablished(const Arrival& packet) {
  switch (packet.op) {
    case Op::kRw:
    case Op::kCreditUpdate:
      return {kNothing, kOpen, false};
    case Op::kCreditRequest:
      return {Op::kCreditUpdate, kOpen, false};
    case Op::kShutdown:
      if (packet.flags != kShutdownBoth) return {kNothing, kOpen, false};
      return {Op::kRst, kHeldByNobody, false};
    case Op::kRst:
      return {kNothing, kHeldByNobody, false};
    case Op::kInvalid:
    case Op::kRequest:
    case Op::kResponse:
      break;
  }
  return {kNothing, kOpen, true};
}

// As established, but that only RST ends it: the peer's own RST is still due
// when both sides close at once.
Outcome WhileClosing(const Arrival& packet) {
  Outcome outcome = WhileEstablished(packet);
  if (packet.op != Op::kRst) outcome.after = kClosingStill;
  return outcome;
}

Outcome Expected(State state, const Arrival& packet) {
  switch (state) {
    case State::kNoSocket:
    case State::kBoundOnly:
      return WithoutConnection(packet.op);
    case State::kListening:
      return WhileListening(packet.op);
    case State::kConnecting:
      return WhileConnecting(packet.op);
    case State::kEstablished:
      return WhileEstablished(packet);
    case State::kClosing:
      return WhileClosing(packet);
  }
  return {};
}

// A transport with a socket at kPort in `state`, its send list empty.
SocketId Arrange(LoneTransport& lone, State state) {
  Transport& sockets = lone.sockets();
  if (state == State::kNoSocket) return SocketId();
  const SocketId id = *sockets.Open(Type::kStream);
  EXPECT_TRUE(sockets.Bind(id, kPort).ok());
  if (state == State::kBoundOnly) return id;
  if (state == State::kListening) {
    EXPECT_TRUE(sockets.Listen(id, 1).ok());
    return id;
  }
  EXPECT_TRUE(sockets.Connect(id, LoneTransport::kPeer, Instant(0)).ok());
  if (state != State::kConnecting) {
    lone.Deliver(kPort, Type::kStream, Op::kResponse);
  }
  if (state == State::kClosing) {
    EXPECT_TRUE(sockets.Close(id, Instant(0)).ok());
  }
  lone.TakeSent();
  return id;
}

class TransportStatesTest
    : public ::testing::TestWithParam<std::tuple<State, Arrival>> {};

INSTANTIATE_TEST_SUITE_P(AllStatesAllOperations, TransportStatesTest,
                         ::testing::Combine(::testing::ValuesIn(kAllStates),
                                            ::testing::ValuesIn(kAllPackets)));

TEST_P(TransportStatesTest, AnswersAndMovesAsTheTableSays) {
  const auto [state, packet] = GetParam();
  const Outcome expected = Expected(state, packet);
  LoneTransport lone;
  Arrange(lone, state);

  lone.Deliver(kPort, Type::kStream, packet.op, packet.len, packet.flags);

  const std::vector<VsockHdr> sent = lone.TakeSent();
  ASSERT_EQ(sent.size(), expected.reply == kNothing ? 0u : 1u);
  if (!sent.empty()) {
    EXPECT_EQ(sent[0].operation(), expected.reply);
    EXPECT_EQ(sent[0].destination(), LoneTransport::kPeer);
    EXPECT_EQ(sent[0].source(), (Address{LoneTransport::kCid, kPort}));
  }
  const Socket* holder =
      lone.sockets().table().FindConnected(kPort, LoneTransport::kPeer);
  ASSERT_EQ(holder != nullptr, expected.after.has_value());
  if (holder != nullptr) {
    EXPECT_EQ(holder->connection->state(), *expected.after);
  }
  EXPECT_EQ(lone.sockets().losses().counters()[DropReason::kMalformed].packets,
            expected.counted ? 1u : 0u);
}

TEST(ConnectingTest, RefusalIsAResetAndNonsenseIsAProtocolError) {
  for (const auto& [op, error] :
       {std::pair(Op::kRst, "ECONNRESET"), std::pair(Op::kRw, "EPROTO"),
        std::pair(Op::kShutdown, "EPROTO")}) {
    LoneTransport lone;
    const SocketId id = Arrange(lone, State::kConnecting);

    lone.Deliver(kPort, Type::kStream, op);

    EXPECT_EQ(ErrnoOf(lone.sockets().ConnectStatus(id)), error);
  }
}

TEST(EstablishedTest, BothHintsWithBytesUnreadWaitForTheReader) {
  LoneTransport lone;
  const SocketId id = Arrange(lone, State::kEstablished);
  lone.Deliver(kPort, Type::kStream, Op::kRw, 100);

  lone.Deliver(kPort, Type::kStream, Op::kShutdown, 0, kShutdownBoth);

  EXPECT_TRUE(lone.TakeSent().empty());
  EXPECT_EQ(lone.sockets().Receive(id, nullptr, 200).bytes, 100u);
  lone.TakeSent();  // a credit update
  ASSERT_TRUE(lone.sockets().Close(id, Instant(0)).ok());
  const std::vector<VsockHdr> sent = lone.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].operation(), Op::kRst);
}

TEST(EstablishedTest, HintsOfTwoPacketsAddUp) {
  LoneTransport lone;
  Arrange(lone, State::kEstablished);
  lone.Deliver(kPort, Type::kStream, Op::kShutdown, 0, kShutdownSend);
  EXPECT_TRUE(lone.TakeSent().empty());

  lone.Deliver(kPort, Type::kStream, Op::kShutdown, 0, kShutdownReceive);

  ASSERT_EQ(lone.TakeSent().size(), 1u);
}

TEST(ClosingTest, AnswersTheSecondShutdownOnlyOnce) {
  LoneTransport lone;
  Arrange(lone, State::kClosing);
  lone.Deliver(kPort, Type::kStream, Op::kShutdown, 0, kShutdownBoth);
  ASSERT_EQ(lone.TakeSent().size(), 1u);

  lone.Deliver(kPort, Type::kStream, Op::kShutdown, 0, kShutdownBoth);

  EXPECT_TRUE(lone.TakeSent().empty());
}

TEST(EstablishedTest, OneAnswerServesAllCreditRequestsUntilItIsSent) {
  LoneTransport lone;
  Arrange(lone, State::kEstablished);
  for (int i = 0; i < 1000; ++i) {
    lone.Deliver(kPort, Type::kStream, Op::kCreditRequest);
  }
  EXPECT_EQ(lone.TakeSent().size(), 1u);

  lone.Deliver(kPort, Type::kStream, Op::kCreditRequest);
  EXPECT_EQ(lone.TakeSent().size(), 1u);
}

TEST(EstablishedTest, AnswerToACreditRequestTellsWhatWasReadSinceTheLast) {
  LoneTransport lone;
  const SocketId id = Arrange(lone, State::kEstablished);
  lone.Deliver(kPort, Type::kStream, Op::kRw, 100);
  lone.Deliver(kPort, Type::kStream, Op::kRw, 200);
  lone.Deliver(kPort, Type::kStream, Op::kCreditRequest);
  // More stays queued, so the read by itself owes no update.
  ASSERT_EQ(lone.sockets().Receive(id, nullptr, 100).bytes, 100u);
  lone.Deliver(kPort, Type::kStream, Op::kCreditRequest);

  const std::vector<VsockHdr> sent = lone.TakeSent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].fwd_cnt, 0u);
  EXPECT_EQ(sent[1].fwd_cnt, 100u);
}

TEST(NoSocketTest, PacketOfUnknownTypeIsAnsweredWithRstOfThatType) {
  for (const Type type : {Type(0), Type::kSeqpacket, Type(4), Type(0xffff)}) {
    LoneTransport lone;
    lone.Deliver(kPort, type, Op::kRw, 10);

    const std::vector<VsockHdr> sent = lone.TakeSent();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].operation(), Op::kRst);
    EXPECT_TRUE(sent[0].is(type));
  }
}

TEST(NoSocketTest, RstOfUnknownTypeIsNotAnswered) {
  LoneTransport lone;
  lone.Deliver(kPort, static_cast<Type>(9), Op::kRst);

  EXPECT_TRUE(lone.TakeSent().empty());
}

TEST(NoSocketTest, PacketForAnotherContextIdIsCountedAndNotAnswered) {
  LoneTransport lone;
  for (const uint64_t cid : {uint64_t{4}, uint64_t{1} << 32 | 3}) {
    VsockHdr hdr = LoneTransport::FromPeer(kPort, Type::kStream, Op::kRequest);
    hdr.dst_cid = cid;
    lone.DeliverHdr(hdr);
  }

  EXPECT_TRUE(lone.TakeSent().empty());
  EXPECT_EQ(lone.sockets().losses().counters()[DropReason::kWrongCid].packets,
            2u);
}

}  // namespace
}  // namespace vsock
