// The bound on queued replies (5.10.6.1): it holds, and nobody is parked by it
// for good.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

constexpr Port kClosedPort{10};

VsockPair::Options RingsOf(uint16_t size) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = size;
  return options;
}

std::vector<End> BeginConnects(VsockPair& pair, Side side, int count) {
  std::vector<End> ends;
  for (int i = 0; i < count; ++i) {
    ends.push_back(BeginConnect(pair, side, kClosedPort));
  }
  return ends;
}

// Runs all workers to the end; the larger of the two backlogs on the way.
uint32_t RunAndWatchBacklog(VsockPair& pair) {
  uint32_t most = 0;
  pair.RunWatched([&] {
    most = std::max({most, pair.guest().send_list().replies(),
                     pair.device().send_list().replies()});
  });
  return most;
}

void ExpectAllRefused(const std::vector<End>& ends) {
  for (const End& end : ends) {
    ASSERT_EQ(ErrnoOf(end.sockets->ConnectStatus(end.id)), "ECONNRESET");
  }
}

// Replies are given in the order of what they answer.
void ExpectRstsInOrderOfPorts(const std::vector<WirePacket>& packets) {
  uint32_t last = 0;
  for (const WirePacket& packet : packets) {
    if (!packet.is(Op::kRst)) continue;
    ASSERT_GT(packet.hdr.dst_port, last);
    last = packet.hdr.dst_port;
  }
}

class ReplyStormTest : public ::testing::TestWithParam<uint16_t> {};

INSTANTIATE_TEST_SUITE_P(RingSizes, ReplyStormTest,
                         ::testing::Values(2, 8, 128));

TEST_P(ReplyStormTest, EndsWithinTheBoundThoughBothSidesAskAtOnce) {
  VsockPair pair(RingsOf(GetParam()));
  pair.RecordWire();
  const int count = GetParam() == 2 ? 10000 : 1000;
  const std::vector<End> from_guest = BeginConnects(pair, Side::kGuest, count);
  const std::vector<End> from_host = BeginConnects(pair, Side::kHost, count);

  const uint32_t backlog = RunAndWatchBacklog(pair);

  EXPECT_LE(backlog, GetParam());
  ExpectAllRefused(from_guest);
  ExpectAllRefused(from_host);
  ExpectRstsInOrderOfPorts(pair.wire().From(/*guest=*/true));
  ExpectRstsInOrderOfPorts(pair.wire().From(/*guest=*/false));
}

TEST_P(ReplyStormTest, EndsThoughBothSidesCloseAllConnectionsAtOnce) {
  VsockPair pair(RingsOf(GetParam()));
  std::vector<Ends> open;
  for (int i = 0; i < 200; ++i) {
    open.push_back(Connect(pair, i % 2 == 0 ? Side::kGuest : Side::kHost));
  }
  for (const Ends& ends : open) {
    Close(pair, ends.client);
    Close(pair, ends.server);
  }

  RunAndWatchBacklog(pair);

  EXPECT_EQ(pair.guest_sockets().table().size(), 0u);
  EXPECT_EQ(pair.host_sockets().table().size(), 0u);
}

}  // namespace
}  // namespace vsock
