// When credit is announced, and that nobody waits for an announcement that
// never comes.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/lone_transport.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

VsockPair::Options WithBuffers(uint64_t guest, uint64_t host) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.transport.stream_buffer = {.size = guest, .max = guest};
  options.host.transport.stream_buffer = {.size = host, .max = host};
  return options;
}

// Sends up to `len` bytes, in calls of at most `piece`, until it would block.
uint32_t SendUntilBlocked(const End& end, uint32_t len, uint32_t piece) {
  uint32_t sent = 0;
  while (sent < len) {
    const uint32_t accepted = end.Send(std::min(piece, len - sent)).accepted;
    if (accepted == 0) break;
    sent += accepted;
  }
  return sent;
}

bool WasWoken(const End& end) {
  bool woken = false;
  end.sockets->TakeWakes(
      [&](const Wake& wake) { woken |= wake.socket == end.id; });
  return woken;
}

// `client` of the connection is on the side that is the parameter.
class StreamCreditTest : public ::testing::TestWithParam<Side> {
 protected:
  Ends Open(VsockPair& pair) { return Connect(pair, GetParam()); }
  bool from_guest(bool client) {
    return client == (GetParam() == Side::kGuest);
  }
};

INSTANTIATE_TEST_SUITE_P(BothSides, StreamCreditTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(StreamCreditTest, ReaderThatMayNotSendAnnouncesAllTheSame) {
  VsockPair pair;
  const Ends ends = Open(pair);
  ASSERT_EQ(SendUntilBlocked(ends.server, 1 << 20, 65536), 262144u);
  ASSERT_EQ(SendUntilBlocked(ends.client, 1 << 20, 65536), 262144u);
  pair.Run();
  pair.RecordWire();

  ends.server.ReadLength(262144);
  pair.Run();

  EXPECT_EQ(pair.wire().packets().size(), 1u);
  EXPECT_EQ(pair.wire().Only(Op::kCreditUpdate).size(), 1u);
  EXPECT_EQ(ends.client.credit().Space(), 262144u);
}

TEST_P(StreamCreditTest, ReaderThatNeverAnswersAnnouncesOftenEnough) {
  VsockPair pair(WithBuffers(1024, 1024));
  const Ends ends = Open(pair);
  pair.RecordWire();
  uint32_t sent = 0;
  uint32_t read = 0;
  while (read < 4096) {
    sent += ends.client.Send(std::min(468u, 4096 - sent)).accepted;
    pair.Run();
    const ReceiveResult got =
        ends.server.sockets->Receive(ends.server.id, nullptr, 468);
    ASSERT_GT(got.bytes, 0u);
    read += got.bytes;
    pair.Run();
  }

  EXPECT_EQ(read, 4096u);
  EXPECT_GE(pair.wire().Only(Op::kCreditUpdate).size(), 3u);
}

// As seen on Linux 6.1: 64 packets, then silence; the first update comes with
// the 49th packet read.
TEST_P(StreamCreditTest, SlowReaderAnnouncesFirstAt200704Bytes) {
  VsockPair pair;
  const Ends ends = Open(pair);
  ASSERT_EQ(SendUntilBlocked(ends.client, 1 << 20, 4096), 262144u);
  pair.Run();
  pair.RecordWire();

  for (int packet = 1; packet <= 49; ++packet) {
    ASSERT_TRUE(pair.wire().packets().empty());
    ASSERT_EQ(ends.server.ReadLength(4096), 4096u);
    pair.Run();
  }

  ASSERT_EQ(pair.wire().packets().size(), 1u);
  EXPECT_TRUE(pair.wire().packets()[0].is(Op::kCreditUpdate));
  EXPECT_EQ(pair.wire().packets()[0].hdr.fwd_cnt, 200704u);
}

TEST_P(StreamCreditTest, ReaderThatKeepsUpAnnouncesEveryRead) {
  VsockPair pair;
  const Ends ends = Open(pair);
  pair.RecordWire();
  for (int i = 0; i < 10; ++i) {
    ends.client.MustSend(100);
    pair.Run();
    ends.server.ReadLength(100);
    pair.Run();
  }

  EXPECT_EQ(pair.wire().Only(Op::kCreditUpdate).size(), 10u);
}

TEST_P(StreamCreditTest, ReadThatFreesNoWholePacketAnnouncesNothing) {
  VsockPair pair;
  const Ends ends = Open(pair);
  ends.client.MustSend(1000);
  pair.Run();
  pair.RecordWire();

  ends.server.ReadLength(999);
  pair.Run();

  EXPECT_TRUE(pair.wire().packets().empty());
}

constexpr uint32_t k64K = 65536;

TEST_P(StreamCreditTest, RaisedLowWaterMarkDoesNotLockBothEnds) {
  VsockPair pair(WithBuffers(2 * k64K, 2 * k64K));
  const Ends ends = Open(pair);
  ASSERT_EQ(SendUntilBlocked(ends.client, 2 * k64K + 1, k64K), 2 * k64K);
  ASSERT_FALSE(ends.client.sockets->WaitFor(ends.client.id, kWritable));
  pair.Run();
  ASSERT_EQ(ends.server.ReadLength(k64K), k64K);
  pair.Run();

  Transport& reader = *ends.server.sockets;
  ASSERT_TRUE(reader.SetLowWater(ends.server.id, k64K + 1).ok());
  ASSERT_FALSE(reader.WaitFor(ends.server.id, kReadable));
  pair.Run();

  ASSERT_TRUE(WasWoken(ends.client));
  EXPECT_EQ(ends.client.Send(1).accepted, 1u);
  pair.Run();
  EXPECT_TRUE(WasWoken(ends.server));
}

TEST_P(StreamCreditTest, LowWaterMarkSetBeforehandDoesNotLockBothEnds) {
  VsockPair pair(WithBuffers(2 * k64K, 2 * k64K));
  const Ends ends = Open(pair);
  Transport& reader = *ends.server.sockets;
  ASSERT_TRUE(reader.SetLowWater(ends.server.id, k64K + 1).ok());
  ASSERT_EQ(SendUntilBlocked(ends.client, 2 * k64K + 1, k64K), 2 * k64K);
  ASSERT_FALSE(ends.client.sockets->WaitFor(ends.client.id, kWritable));
  pair.Run();

  ASSERT_EQ(ends.server.ReadLength(k64K), k64K);
  ASSERT_FALSE(reader.WaitFor(ends.server.id, kReadable));
  pair.Run();

  ASSERT_TRUE(WasWoken(ends.client));
  EXPECT_EQ(ends.client.Send(1).accepted, 1u);
  pair.Run();
  EXPECT_TRUE(WasWoken(ends.server));
}

TEST_P(StreamCreditTest, RaisedLowWaterMarkTellsNothingThePeerKnows) {
  VsockPair pair;
  const Ends ends = Open(pair);
  ends.client.MustSend(100);
  pair.Run();
  ends.server.ReadLength(100);  // sends an update
  pair.Run();
  pair.RecordWire();

  ASSERT_TRUE(ends.server.sockets->SetLowWater(ends.server.id, 5000).ok());
  pair.Run();

  EXPECT_TRUE(pair.wire().packets().empty());
}

TEST_P(StreamCreditTest, LoweredLowWaterMarkWakesTheReader) {
  VsockPair pair;
  const Ends ends = Open(pair);
  Transport& reader = *ends.server.sockets;
  ASSERT_TRUE(reader.SetLowWater(ends.server.id, 100).ok());
  ends.client.MustSend(50);
  ASSERT_FALSE(reader.WaitFor(ends.server.id, kReadable));
  pair.Run();
  ASSERT_FALSE(WasWoken(ends.server));

  ASSERT_TRUE(reader.SetLowWater(ends.server.id, 50).ok());

  EXPECT_TRUE(WasWoken(ends.server));
}

TEST_P(StreamCreditTest, LowWaterMarkAboveTheBufferIsTheCallersFault) {
  VsockPair pair;
  const Ends ends = Open(pair);
  Transport& reader = *ends.server.sockets;

  EXPECT_EQ(ErrnoOf(reader.SetLowWater(ends.server.id, 262144)), "OK");
  EXPECT_EQ(ErrnoOf(reader.SetLowWater(ends.server.id, 262145)), "EINVAL");
}

TEST_P(StreamCreditTest, ChangeOfBufferSizeIsAnnounced) {
  VsockPair pair;
  const Ends ends = Open(pair);
  pair.RecordWire();
  Transport& sockets = *ends.server.sockets;

  ASSERT_TRUE(sockets.SetBufferSize(ends.server.id, {.size = 65536}).ok());
  pair.Run();

  const auto updates = pair.wire().Only(Op::kCreditUpdate);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].hdr.buf_alloc, 65536u);
  EXPECT_EQ(ends.client.credit().Space(), 65536u);
  ASSERT_TRUE(sockets.SetBufferSize(ends.server.id, {.size = 65536}).ok());
  pair.Run();
  EXPECT_EQ(pair.wire().packets().size(), 1u);  // no change, no news
}

TEST_P(StreamCreditTest, BufferSizeIsClampedBetweenItsBounds) {
  VsockPair pair;
  const Ends ends = Open(pair);
  Transport& sockets = *ends.server.sockets;
  const auto size_after = [&](StreamBufferSize size) {
    EXPECT_TRUE(sockets.SetBufferSize(ends.server.id, size).ok());
    return ends.server.credit().buf_alloc();
  };

  EXPECT_EQ(size_after({.size = 1}), 128u);
  EXPECT_EQ(size_after({.size = 1 << 30}), 262144u);
  EXPECT_EQ(size_after({.size = 5, .min = 10, .max = 20}), 10u);
  EXPECT_EQ(size_after({.size = 1ull << 40, .max = 1ull << 40}), 0xffffffffu);
  EXPECT_EQ(ErrnoOf(sockets.SetBufferSize(ends.server.id,
                                          {.size = 15, .min = 20, .max = 10})),
            "EINVAL");
}

TEST_P(StreamCreditTest, LargerOwnBufferLetsAWaitingWriterGoOn) {
  VsockPair pair(WithBuffers(262144, 262144));
  const Ends ends = Open(pair);
  Transport& writer = *ends.client.sockets;
  ASSERT_TRUE(writer.SetBufferSize(ends.client.id, {.size = 1000}).ok());
  ASSERT_EQ(SendUntilBlocked(ends.client, 5000, 5000), 1000u);
  ASSERT_FALSE(writer.WaitFor(ends.client.id, kWritable));

  ASSERT_TRUE(writer.SetBufferSize(ends.client.id, {.size = 3000}).ok());

  EXPECT_TRUE(WasWoken(ends.client));
  EXPECT_EQ(ends.client.Send(5000).accepted, 2000u);
}

// Numbers of a published report: windows of 2 GiB, readers that never read.
TEST_P(StreamCreditTest, GenerousPeersDoNotMakeTheSenderHoldMore) {
  const bool guest_sends = GetParam() == Side::kGuest;
  const uint64_t two_gib = uint64_t{1} << 31;
  VsockPair pair(guest_sends ? WithBuffers(65536, two_gib)
                             : WithBuffers(two_gib, 65536));
  for (int flow = 0; flow < 32; ++flow) {
    const Ends ends = Open(pair);
    ASSERT_EQ(ends.client.credit().peer_buf_alloc(), two_gib);
    EXPECT_EQ(SendUntilBlocked(ends.client, 1 << 20, 65536), 65536u);
    pair.Run();
    EXPECT_EQ(SendUntilBlocked(ends.client, 1 << 20, 65536), 0u);
  }
}

TEST_P(StreamCreditTest, CountersOfBothEndsWrapUnderWay) {
  VsockPair pair;
  const Ends ends = Open(pair);
  const uint32_t near_wrap = 0xffffffffu - 300000;
  pair.sockets(GetParam())
      .table()
      .Find(ends.client.id)
      ->connection->credit()
      .StartAt(near_wrap, near_wrap - 5);
  pair.sockets(Other(GetParam()))
      .table()
      .Find(ends.server.id)
      ->connection->credit()
      .StartAt(near_wrap - 5, near_wrap);
  const std::vector<std::byte> bytes = Pattern(1 << 20);

  std::vector<std::byte> got;
  for (uint32_t sent = 0; got.size() < bytes.size();) {
    const SendResult result = ends.client.sockets->Send(
        ends.client.id, {.data = bytes.data() + sent,
                         .len = static_cast<uint32_t>(bytes.size()) - sent});
    sent += result.accepted;
    pair.Run();
    const std::vector<std::byte> piece = ends.server.Read(50000);
    ASSERT_FALSE(piece.empty());
    got.insert(got.end(), piece.begin(), piece.end());
    pair.Run();
  }

  EXPECT_TRUE(got == bytes);
  EXPECT_EQ(ends.client.credit().tx_cnt(), near_wrap + (1u << 20));
}

TEST_P(StreamCreditTest, BothWritersBlockedAreFreedByEitherReader) {
  VsockPair pair;
  const Ends ends = Open(pair);
  SendUntilBlocked(ends.client, 1 << 20, 65536);
  SendUntilBlocked(ends.server, 1 << 20, 65536);
  ASSERT_FALSE(ends.client.sockets->WaitFor(ends.client.id, kWritable));
  ASSERT_FALSE(ends.server.sockets->WaitFor(ends.server.id, kWritable));
  pair.Run();

  ends.client.ReadLength(262144);
  pair.Run();

  EXPECT_TRUE(WasWoken(ends.server));
  EXPECT_FALSE(WasWoken(ends.client));
}

// The only packet that opens the window is of that operation.
class CreditBearingPacketTest : public ::testing::TestWithParam<Op> {};

INSTANTIATE_TEST_SUITE_P(Ops, CreditBearingPacketTest,
                         ::testing::Values(Op::kCreditRequest, Op::kRw,
                                           Op::kShutdown, Op::kCreditUpdate));

TEST_P(CreditBearingPacketTest, WakesTheWriter) {
  LoneTransport lone;
  Transport& sockets = lone.sockets();
  const SocketId id = *sockets.Open(Type::kStream);
  ASSERT_TRUE(sockets.Bind(id, Port(10)).ok());
  ASSERT_TRUE(sockets.Connect(id, LoneTransport::kPeer, Instant(0)).ok());
  lone.Deliver(Port(10), Type::kStream, Op::kResponse);
  const End end = {&sockets, id};
  ASSERT_EQ(SendUntilBlocked(end, 1 << 20, 65536), 262144u);
  ASSERT_FALSE(sockets.WaitFor(id, kWritable));

  VsockHdr hdr = LoneTransport::FromPeer(Port(10), Type::kStream, GetParam());
  hdr.fwd_cnt = 1000;
  lone.DeliverHdr(hdr);

  EXPECT_TRUE(WasWoken(end));
  EXPECT_EQ(end.Send(5000).accepted, 1000u);
}

}  // namespace
}  // namespace vsock
