// Tries sim/peers/datagram_endpoint.h by the rules of Linux net/core/sock.c:
// sk_sndbuf and sk_rcvbuf are twice what setsockopt was given, floored at 4608
// and 2304, and a datagram is charged after it was admitted.

#include "sim/peers/datagram_endpoint.h"

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "vsock/connection.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Port;
using vsock::SocketId;
using Verdict = DatagramEndpoint::Verdict;

class DatagramEndpointTest : public ::testing::Test {
 protected:
  SocketId Bound(uint32_t port) {
    const SocketId id = endpoint_.Open();
    EXPECT_TRUE(endpoint_.Bind(id, port).ok());
    return id;
  }

  Verdict DeliverTo(uint32_t port, uint32_t bytes, uint32_t charge) {
    return endpoint_.Deliver(
        Port(port), {.bytes = bytes,
                     .charge = charge,
                     .kept = {std::byte{1}, std::byte{2}, std::byte{3}}});
  }

  std::vector<SocketId> Woken() {
    std::vector<SocketId> woken;
    endpoint_.TakeWakes([&](SocketId id) { woken.push_back(id); });
    return woken;
  }

  DatagramEndpoint endpoint_{{.cid = vsock::kCidHost,
                              .first_ephemeral = 40000,
                              .last_ephemeral = 40001}};
};

TEST_F(DatagramEndpointTest, BindRefusesAPortInUse) {
  Bound(9);

  const absl::Status again = endpoint_.Bind(endpoint_.Open(), 9);

  EXPECT_TRUE(absl::IsAlreadyExists(again));
  EXPECT_EQ(again.message().substr(0, 10), "EADDRINUSE");
}

TEST_F(DatagramEndpointTest, EphemeralPortsComeFromTheirRangeUntilItIsUsedUp) {
  const SocketId first = Bound(0);
  const SocketId second = Bound(0);

  EXPECT_EQ(endpoint_.LocalAddress(first).port, Port(40000));
  EXPECT_EQ(endpoint_.LocalAddress(second).port, Port(40001));
  EXPECT_TRUE(absl::IsAlreadyExists(endpoint_.Bind(endpoint_.Open(), 0)));
}

TEST_F(DatagramEndpointTest, ClosedSocketGivesItsPortBack) {
  const SocketId id = Bound(9);

  EXPECT_TRUE(endpoint_.Close(id, [](const Datagram&) {}).ok());

  EXPECT_EQ(DeliverTo(9, 3, 768), Verdict::kNoSocket);
  EXPECT_TRUE(endpoint_.Bind(endpoint_.Open(), 9).ok());
  EXPECT_TRUE(absl::IsNotFound(endpoint_.Close(id, [](const Datagram&) {})));
}

TEST_F(DatagramEndpointTest, CloseTellsOfWhatNobodyReads) {
  const SocketId id = Bound(9);
  DeliverTo(9, 100, 768);
  uint32_t unread_bytes = 0;

  EXPECT_TRUE(
      endpoint_.Close(id, [&](const Datagram& d) { unread_bytes += d.bytes; })
          .ok());

  EXPECT_EQ(unread_bytes, 100u);
  EXPECT_EQ(endpoint_.in_queues(), 0u);
}

// 26 datagrams of 8448 charged bytes: the 26th finds 25 x 8448 = 211200 below
// 212992, the 27th finds 219648 above it.
TEST_F(DatagramEndpointTest, DefaultReceiveBufferHolds26DatagramsOf4KiB) {
  Bound(9);

  for (int i = 0; i < 26; ++i) {
    EXPECT_EQ(DeliverTo(9, 4096, 8448), Verdict::kQueued) << i;
  }
  EXPECT_EQ(DeliverTo(9, 4096, 8448), Verdict::kReceiveBufferFull);
}

TEST_F(DatagramEndpointTest, ReceiveTestDiffersExactlyAtTheLimit) {
  DatagramEndpoint up_to(
      {.receive_test = DatagramEndpoint::ReceiveTest::kUpToLimit});
  ASSERT_TRUE(up_to.Bind(up_to.Open(), 9).ok());
  const SocketId below = Bound(9);
  endpoint_.SetReceiveBuffer(below, 106496);  // the default again: doubled

  EXPECT_EQ(DeliverTo(9, 1, 212992), Verdict::kQueued);
  EXPECT_EQ(DeliverTo(9, 1, 768), Verdict::kReceiveBufferFull);
  EXPECT_EQ(up_to.Deliver(Port(9), {.charge = 212992}), Verdict::kQueued);
  EXPECT_EQ(up_to.Deliver(Port(9), {.charge = 768}), Verdict::kQueued);
}

TEST_F(DatagramEndpointTest, ReadingGivesRoomBack) {
  const SocketId id = Bound(9);
  endpoint_.SetReceiveBuffer(id, 1);  // the floor, 2304
  EXPECT_EQ(DeliverTo(9, 3, 2304), Verdict::kQueued);
  EXPECT_EQ(DeliverTo(9, 3, 2304), Verdict::kReceiveBufferFull);

  EXPECT_EQ(endpoint_.Receive(id, nullptr, 10).bytes, 3u);

  EXPECT_EQ(DeliverTo(9, 3, 2304), Verdict::kQueued);
}

TEST_F(DatagramEndpointTest, ReceiveCutsALongDatagramAndSaysSo) {
  const SocketId id = Bound(9);
  DeliverTo(9, 3, 768);
  std::byte out[4] = {};

  const vsock::ReceiveResult result = endpoint_.Receive(id, out, 2);

  EXPECT_EQ(result.bytes, 2u);
  EXPECT_EQ(result.message_bytes, 3u);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(out[1], std::byte{2});
  EXPECT_EQ(out[2], std::byte{0});
  EXPECT_TRUE(endpoint_.Receive(id, out, 2).would_block);
}

TEST_F(DatagramEndpointTest, ReaderWakesForADatagramOnce) {
  const SocketId id = Bound(9);
  EXPECT_FALSE(endpoint_.WaitFor(id, vsock::kReadable));

  DeliverTo(9, 3, 768);
  DeliverTo(9, 3, 768);

  EXPECT_EQ(Woken(), std::vector<SocketId>{id});
  EXPECT_TRUE(endpoint_.WaitFor(id, vsock::kReadable));
}

// Half of sk_sndbuf = 4608 is 2304: the writer sleeps on at 2305.
TEST_F(DatagramEndpointTest, WriterWakesAtHalf) {
  const SocketId id = Bound(9);
  endpoint_.SetSendBuffer(id, 1);
  endpoint_.Charge(id, 4608);
  EXPECT_FALSE(endpoint_.WaitFor(id, vsock::kWritable));

  endpoint_.Release(id, 2303);
  EXPECT_TRUE(Woken().empty());
  endpoint_.Release(id, 1);

  EXPECT_EQ(Woken(), std::vector<SocketId>{id});
}

}  // namespace
}  // namespace sim
