// Requests for ports that no socket has, held for a user who answers for them.

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/lone_transport.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {
namespace {

constexpr Port kPort{77};

class HeldRequestTest : public ::testing::Test {
 protected:
  HeldRequestTest() { lone_.sockets().HoldRequests(2); }

  void Request(Port port = kPort) {
    lone_.Deliver(port, Type::kStream, Op::kRequest);
  }

  LoneTransport lone_;
};

TEST_F(HeldRequestTest, IsAnsweredByNobodyElse) {
  Request();

  EXPECT_TRUE(lone_.TakeSent().empty());
  const std::optional<VsockHdr> request = lone_.sockets().TakeRequest();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->source(), LoneTransport::kPeer);
  EXPECT_EQ(request->destination().port, kPort);
  EXPECT_FALSE(lone_.sockets().TakeRequest().has_value());
}

TEST_F(HeldRequestTest, OpensAConnectionWhenItIsAdmitted) {
  Request();

  const auto socket = lone_.sockets().Admit(*lone_.sockets().TakeRequest());

  ASSERT_TRUE(socket.ok()) << socket.status();
  const std::vector<VsockHdr> sent = lone_.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(Op::kResponse));
  EXPECT_EQ(sent[0].source().port, kPort);
  EXPECT_EQ(lone_.sockets().Send(*socket, {.len = 100}).accepted, 100u);
}

TEST_F(HeldRequestTest, GetsAnRstWhenItIsRejected) {
  Request();

  lone_.sockets().Reject(*lone_.sockets().TakeRequest());

  const std::vector<VsockHdr> sent = lone_.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(Op::kRst));
  EXPECT_EQ(sent[0].destination(), LoneTransport::kPeer);
}

TEST_F(HeldRequestTest, GetsAnRstWhenAsManyAreHeldAsMayBe) {
  Request(Port(1));
  Request(Port(2));
  EXPECT_TRUE(lone_.TakeSent().empty());

  Request(Port(3));

  EXPECT_TRUE(lone_.TakeSent().at(0).is(Op::kRst));
}

TEST_F(HeldRequestTest, CantBeAdmittedTwice) {
  Request();
  Request();
  ASSERT_TRUE(lone_.sockets().Admit(*lone_.sockets().TakeRequest()).ok());

  const auto again = lone_.sockets().Admit(*lone_.sockets().TakeRequest());

  EXPECT_EQ(ErrnoOf(again.status()), "EADDRINUSE");
}

TEST_F(HeldRequestTest, IsNotOneForAPortThatASocketHas) {
  const SocketId bound = *lone_.sockets().Open(Type::kStream);
  ASSERT_TRUE(lone_.sockets().Bind(bound, kPort).ok());

  Request();

  EXPECT_FALSE(lone_.sockets().TakeRequest().has_value());
  EXPECT_TRUE(lone_.TakeSent().at(0).is(Op::kRst));
}

TEST_F(HeldRequestTest, IsNotAnyOtherPacket) {
  lone_.Deliver(kPort, Type::kStream, Op::kRw, 10);

  EXPECT_FALSE(lone_.sockets().TakeRequest().has_value());
  EXPECT_TRUE(lone_.TakeSent().at(0).is(Op::kRst));
}

}  // namespace
}  // namespace vsock
