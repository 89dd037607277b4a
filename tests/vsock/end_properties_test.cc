// What one end shows, of itself and of its peer.

#include "vsock/end_properties.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/lone_transport.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {
namespace {

using ::testing::StartsWith;

constexpr Port kPort{77};

// A connection that the peer opened.
class EndPropertiesTest : public ::testing::Test {
 protected:
  EndPropertiesTest() {
    lone_.sockets().HoldRequests(1);
    lone_.Deliver(kPort, Type::kStream, Op::kRequest);
    id_ = *lone_.sockets().Admit(*lone_.sockets().TakeRequest());
  }

  void Acknowledge(uint32_t fwd_cnt) {
    VsockHdr hdr =
        LoneTransport::FromPeer(kPort, Type::kStream, Op::kCreditUpdate);
    hdr.fwd_cnt = fwd_cnt;
    lone_.DeliverHdr(hdr);
  }
  absl::Status Peer() { return CheckPeer(*lone_.sockets().Find(id_)); }

  LoneTransport lone_;
  SocketId id_;
};

TEST_F(EndPropertiesTest, HoldForAPeerThatAcknowledgesWhatWasSent) {
  ASSERT_EQ(lone_.sockets().Send(id_, {.len = 1000}).accepted, 1000u);
  EXPECT_TRUE(Peer().ok());

  Acknowledge(1000);

  EXPECT_TRUE(Peer().ok());
  EXPECT_TRUE(CheckEnd(lone_.sockets()).ok());
  EXPECT_TRUE(CheckEnd(lone_.sockets(), *lone_.sockets().Find(id_)).ok());
}

TEST_F(EndPropertiesTest, NameThePeerThatAcknowledgesMoreThanWasSent) {
  ASSERT_EQ(lone_.sockets().Send(id_, {.len = 1000}).accepted, 1000u);

  Acknowledge(1001);

  EXPECT_THAT(std::string(Peer().message()), StartsWith("5.10.6.3: "));
}

TEST_F(EndPropertiesTest, NameThePeerThatTakesBackWhatItAcknowledged) {
  for (uint32_t i = 1; i <= 8; ++i) {
    ASSERT_EQ(lone_.sockets().Send(id_, {.len = 65536}).accepted, 65536u);
    Acknowledge(i * 65536);
  }
  ASSERT_TRUE(Peer().ok());

  Acknowledge(0);

  EXPECT_THAT(std::string(Peer().message()), StartsWith("5.10.6.3: "));
}

TEST_F(EndPropertiesTest, EndAConnectionWithAnRst) {
  lone_.TakeSent();

  lone_.sockets().Reset(id_);

  const auto sent = lone_.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(Op::kRst));
  EXPECT_FALSE(lone_.sockets().Send(id_, {.len = 1}).status.ok());
}

TEST_F(EndPropertiesTest, EndNothingTwice) {
  lone_.sockets().Reset(id_);
  lone_.TakeSent();

  lone_.sockets().Reset(id_);

  EXPECT_TRUE(lone_.TakeSent().empty());
}

}  // namespace
}  // namespace vsock
