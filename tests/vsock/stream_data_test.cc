// How a stream's bytes become packets, and what a full or short memory does.

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

std::vector<uint32_t> PayloadLengths(const std::vector<WirePacket>& packets) {
  std::vector<uint32_t> lengths;
  for (const WirePacket& packet : packets) lengths.push_back(packet.hdr.len);
  return lengths;
}

// Sends `len` bytes, as many in each call as the socket takes.
void SendAll(const End& end, uint32_t len) {
  for (uint32_t sent = 0; sent < len;) sent += end.Send(len - sent).accepted;
}

TEST(StreamPacketsTest, AWriteOf100000BytesIsCutAt64KiB) {
  VsockPair pair;
  const Ends ends = Connect(pair);
  pair.RecordWire();

  SendAll(ends.client, 100000);
  pair.Run();

  EXPECT_EQ(PayloadLengths(pair.wire().Only(Op::kRw)),
            (std::vector<uint32_t>{65536, 34464}));
}

struct RxBuffers {
  uint32_t bytes;
  std::vector<uint32_t> pieces;  // of 10000 bytes sent by the host
};

class RxBufferTest : public ::testing::TestWithParam<RxBuffers> {};

INSTANTIATE_TEST_SUITE_P(
    Linux, RxBufferTest,
    ::testing::Values(RxBuffers{4140, {4096, 4096, 1808}},  // before 6.17
                      RxBuffers{3776, {3732, 3732, 2536}},  // since
                      RxBuffers{65580, {10000}}));

TEST_P(RxBufferTest, StreamPacketIsCutToTheBufferAndNothingIsLost) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.rx_buffer_bytes = GetParam().bytes;
  VsockPair pair(options);
  const Ends ends = Connect(pair, Side::kHost);
  pair.RecordWire();
  const std::vector<std::byte> bytes = Pattern(10000);

  ends.client.SendBytes(bytes);
  pair.Run();

  const auto packets = pair.wire().Only(Op::kRw);
  EXPECT_EQ(PayloadLengths(packets), GetParam().pieces);
  for (const WirePacket& packet : packets) {
    EXPECT_EQ(packet.used_len, 44 + packet.hdr.len);
  }
  EXPECT_TRUE(ends.server.Read(20000) == bytes);
}

TEST(StreamPacketsTest, SmallestRxBufferCarriesOneByteAPacket) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.rx_buffer_bytes = 45;
  options.guest.driver.ring_size = 2;
  VsockPair pair(options);
  const Ends ends = Connect(pair, Side::kHost);
  const std::vector<std::byte> bytes = Pattern(300);

  ends.client.SendBytes(bytes);
  pair.Run();

  EXPECT_TRUE(ends.server.Read(1000) == bytes);
}

TEST(StreamPacketsTest, AllPacketsOfAFlowCarryItsCredit) {
  VsockPair pair;
  const Ends ends = Connect(pair);
  ends.client.MustSend(700);
  pair.Run();
  ends.server.ReadLength(700);
  pair.RecordWire();

  ends.server.MustSend(10);
  pair.Run();

  for (const WirePacket& packet : pair.wire().packets()) {
    EXPECT_EQ(packet.hdr.buf_alloc, 262144u);
    EXPECT_EQ(packet.hdr.fwd_cnt, 700u);
  }
  EXPECT_EQ(pair.wire().packets().size(), 2u);  // the update and the payload
}

class StreamSendTest : public ::testing::TestWithParam<Side> {
 protected:
  StreamSendTest() : ends_(Connect(pair_, GetParam())) {}

  VsockPair pair_;
  Ends ends_;
};

INSTANTIATE_TEST_SUITE_P(BothSides, StreamSendTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(StreamSendTest, WritesInPartAndThenWouldBlock) {
  ASSERT_TRUE(
      ends_.server.sockets->SetBufferSize(ends_.server.id, {.size = 1000})
          .ok());
  pair_.Run();

  EXPECT_EQ(ends_.client.Send(1500).accepted, 1000u);
  const SendResult second = ends_.client.Send(500);
  EXPECT_TRUE(second.status.ok());
  EXPECT_EQ(second.blocked, Blocked::kCredit);
  EXPECT_EQ(second.accepted, 0u);
}

TEST_P(StreamSendTest, OneCallTakesAtMostOnePacket) {
  EXPECT_EQ(ends_.client.Send(100000).accepted, 65536u);
}

TEST_P(StreamSendTest, SleeperWakesWhenThePeerHasRead) {
  SendAll(ends_.client, 262144);
  ASSERT_EQ(ends_.client.Send(1).blocked, Blocked::kCredit);
  ASSERT_FALSE(ends_.client.sockets->WaitFor(ends_.client.id, kWritable));
  pair_.Run();

  ends_.server.ReadLength(262144);
  pair_.Run();

  std::vector<Wake> wakes;
  ends_.client.sockets->TakeWakes([&](const Wake& w) { wakes.push_back(w); });
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].socket, ends_.client.id);
  EXPECT_EQ(wakes[0].events, kWritable);
  EXPECT_EQ(ends_.client.Send(1).accepted, 1u);
}

TEST_P(StreamSendTest, EmptyWriteSendsNothing) {
  pair_.RecordWire();
  EXPECT_TRUE(ends_.client.Send(0).status.ok());
  pair_.Run();

  EXPECT_TRUE(pair_.wire().packets().empty());
}

TEST_P(StreamSendTest, PayloadAdmittedBeforeAShutdownGoesBeforeIt) {
  pair_.RecordWire();
  Transport& sockets = *ends_.client.sockets;
  ASSERT_EQ(sockets.BeginSend(ends_.client.id, {.len = 10}).accepted, 10u);

  ASSERT_TRUE(ends_.client.ShutDown(kShutdownSend).ok());
  sockets.EndSend(ends_.client.id);
  pair_.Run();

  ASSERT_EQ(pair_.wire().packets().size(), 2u);
  EXPECT_TRUE(pair_.wire().packets()[0].is(Op::kRw));
  EXPECT_EQ(ends_.server.ReadLength(100), 10u);
  EXPECT_TRUE(ends_.server.AtEnd());
}

TEST_P(StreamSendTest, PayloadInHandIsDroppedWhenTheConnectionEnds) {
  Transport& sockets = *ends_.client.sockets;
  ASSERT_EQ(sockets.BeginSend(ends_.client.id, {.len = 10}).accepted, 10u);
  Close(pair_, ends_.server);
  pair_.Run();
  pair_.RecordWire();

  sockets.EndSend(ends_.client.id);
  pair_.Run();

  EXPECT_TRUE(pair_.wire().packets().empty());
}

TEST_P(StreamSendTest, PayloadInHandIsDroppedWhenItsSocketIsClosed) {
  Transport& sockets = *ends_.client.sockets;
  ASSERT_EQ(sockets.BeginSend(ends_.client.id, {.len = 10}).accepted, 10u);

  Close(pair_, ends_.client);
  sockets.EndSend(ends_.client.id);
  pair_.Run();

  EXPECT_TRUE(ends_.client.gone());
  EXPECT_EQ(ends_.server.ReadLength(100), 0u);
}

TEST_P(StreamSendTest, WakesAReaderOnlyFromItsLowWaterMarkOn) {
  Transport& reader = *ends_.server.sockets;
  ASSERT_TRUE(reader.SetLowWater(ends_.server.id, 100).ok());
  ASSERT_FALSE(reader.WaitFor(ends_.server.id, kReadable));
  int wakes = 0;
  const auto count = [&] {
    reader.TakeWakes([&](const Wake&) { ++wakes; });
    return wakes;
  };

  ends_.client.MustSend(99);
  pair_.Run();
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(reader.Readable(ends_.server.id, 1000), 99u);
  ends_.client.MustSend(1);
  pair_.Run();
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(ends_.server.ReadLength(1000), 100u);
}

TEST_P(StreamSendTest, ReadsInPartKeepTheRest) {
  const std::vector<std::byte> bytes = Pattern(1000);
  ends_.client.SendBytes(bytes);
  pair_.Run();

  std::vector<std::byte> got = ends_.server.Read(1);
  for (const uint32_t max : {499u, 250u, 1000u}) {
    const std::vector<std::byte> piece = ends_.server.Read(max);
    got.insert(got.end(), piece.begin(), piece.end());
  }

  EXPECT_TRUE(got == bytes);
}

// Socket buffers of small packets are filled up before a new one is queued.
TEST(StreamMergeTest, SmallPacketJoinsTheLastOneIfThatHasRoom) {
  struct Row {
    uint32_t first;
    uint32_t second;
    uint32_t queued;
  };
  // A socket buffer for 44 + 100 bytes has room for 148 bytes of payload.
  for (const Row& row :
       {Row{100, 48, 1}, Row{100, 49, 2}, Row{300, 128, 1}, Row{300, 129, 2}}) {
    VsockPair pair;
    const Ends ends = Connect(pair);
    ends.client.MustSend(row.first);
    ends.client.MustSend(row.second);
    pair.Run();

    EXPECT_EQ(ends.server.socket().connection->queue().size(), row.queued);
    EXPECT_EQ(ends.server.ReadLength(1000), row.first + row.second);
    EXPECT_EQ(ends.server.credit().fwd_cnt(), row.first + row.second);
  }
}

TEST(StreamMergeTest, MergedBytesStayInOrderAlsoWhenPartlyRead) {
  VsockPair pair;
  const Ends ends = Connect(pair, Side::kHost);
  const std::vector<std::byte> bytes = Pattern(3000);
  std::vector<std::byte> got;
  for (uint32_t i = 0; i < 3000; i += 30) {
    ends.client.SendBytes({bytes.begin() + i, bytes.begin() + i + 30});
    pair.Run();
    if (i % 90 == 0) {
      const std::vector<std::byte> piece = ends.server.Read(17);
      got.insert(got.end(), piece.begin(), piece.end());
    }
  }
  const std::vector<std::byte> rest = ends.server.Read(3000);
  got.insert(got.end(), rest.begin(), rest.end());

  EXPECT_TRUE(got == bytes);
}

// Linux since May 2026: 576 bytes a packet count against the same limit.
class OverheadLimitTest : public ::testing::TestWithParam<Side> {
 protected:
  static VsockPair::Options WithOverhead() {
    VsockPair::Options options = VsockPair::Defaults();
    options.guest.transport.receive_limit = ReceiveLimit::kBytesAndOverhead;
    options.host.transport.receive_limit = ReceiveLimit::kBytesAndOverhead;
    return options;
  }
  VsockPair pair_{WithOverhead()};
};

INSTANTIATE_TEST_SUITE_P(BothSides, OverheadLimitTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(OverheadLimitTest, ResetsAtThe456thQueuedPacket) {
  const Ends ends = Connect(pair_, GetParam());
  for (int i = 0; i < 455; ++i) {
    ASSERT_EQ(ends.client.Send(129).accepted, 129u);
    pair_.Run();
  }
  ASSERT_EQ(ends.server.state(), Connection::State::kEstablished);

  ends.client.MustSend(129);
  pair_.Run();

  EXPECT_EQ(ends.server.state(), Connection::State::kClosed);
  EXPECT_EQ(ErrnoOf(ends.client.Send(1).status), "EPIPE");
  EXPECT_EQ(ends.server.ReadLength(1 << 20), 455u * 129u);
  EXPECT_EQ(
      ErrnoOf(ends.server.sockets->Receive(ends.server.id, nullptr, 1).status),
      "ENOBUFS");
}

TEST_P(OverheadLimitTest, PacketsThatFillTheWindowPass) {
  const Ends ends = Connect(pair_, GetParam());
  SendAll(ends.client, 262144);
  pair_.Run();

  EXPECT_EQ(ends.server.ReadLength(262144), 262144u);
}

TEST(StreamMemoryTest, PayloadWithoutMemoryEndsTheStreamOnBothSides) {
  VsockPair::Options options = VsockPair::Defaults();
  options.host.payload_bytes = 65536;  // a 64 KiB payload needs twice that
  VsockPair pair(options);
  const Ends ends = Connect(pair);
  Transport& host = pair.host_sockets();
  ASSERT_FALSE(host.WaitFor(ends.server.id, kReadable));

  ASSERT_EQ(ends.client.Send(65536).accepted, 65536u);
  pair.Run();

  EXPECT_EQ(host.losses().counters()[DropReason::kNoMemory].bytes, 65536u);
  EXPECT_EQ(ErrnoOf(ends.client.Send(1).status), "EPIPE");
  EXPECT_EQ(ErrnoOf(host.Receive(ends.server.id, nullptr, 1).status),
            "ENOBUFS");
  int wakes = 0;
  host.TakeWakes([&](const Wake&) { ++wakes; });
  EXPECT_EQ(wakes, 1);
}

TEST(StreamMemoryTest, SendWithoutMemoryFailsAndKeepsItsCredit) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.payload_bytes = 0;
  options.guest.driver.ring_size = 2;
  options.guest.payload_bytes = 2 * 8192 + 4096;  // rx buffers and a little
  VsockPair pair(options);
  const Ends ends = Connect(pair);

  EXPECT_EQ(ErrnoOf(ends.client.Send(65536).status), "ENOBUFS");
  EXPECT_EQ(ends.client.credit().tx_cnt(), 0u);
  EXPECT_EQ(ends.client.Send(4096).accepted, 4096u);
}

// Every rx buffer is in a socket's queue and there is memory for no other: as
// soon as the application reads, buffers are posted again.
TEST(StreamMemoryTest, GuestShortOfRxBuffersGoesOnWhenTheReaderReads) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = 2;
  options.guest.payload_bytes = 2 * 8192;
  VsockPair pair(options);
  const Ends ends = Connect(pair, Side::kHost);
  const std::vector<std::byte> bytes = Pattern(50000);
  ends.client.SendBytes(bytes);

  std::vector<std::byte> got;
  for (int i = 0; i < 100; ++i) {
    pair.Run();
    const std::vector<std::byte> piece = ends.server.Read(65536);
    got.insert(got.end(), piece.begin(), piece.end());
  }

  EXPECT_TRUE(got == bytes);
}

}  // namespace
}  // namespace vsock
