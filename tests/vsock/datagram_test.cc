// PROPOSED datagrams: delivered whole or not at all, lost with a cause, and
// never answered.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/errno_of.h"
#include "tests/support/lone_transport.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

constexpr Port kPort{9};

// The sender is on the side that is the parameter.
class DatagramTest : public ::testing::TestWithParam<Side> {
 protected:
  Side sender_side() const { return GetParam(); }
  Side receiver_side() const { return Other(GetParam()); }
  Address to(Port port = kPort) { return pair_.address(receiver_side(), port); }

  VsockPair pair_;
  DatagramEnd sender_ = OpenDatagram(pair_, sender_side());
};

INSTANTIATE_TEST_SUITE_P(BothSides, DatagramTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(DatagramTest, ArrivesWholeWithItsSource) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  const std::vector<std::byte> bytes = Pattern(4096);
  sender_.MustSendTo(to(), bytes);
  pair_.Run();

  const auto front = receiver.part().receive_queue.front()->hdr;
  EXPECT_EQ(front.source(), sender_.address());
  EXPECT_TRUE(receiver.Take() == bytes);
}

TEST_P(DatagramTest, IsOnePacketWithoutFlagsOrCredit) {
  OpenDatagram(pair_, receiver_side(), kPort);
  pair_.RecordWire();
  sender_.MustSendTo(to(), 4000);
  pair_.Run();

  ASSERT_EQ(pair_.wire().packets().size(), 1u);
  const VsockHdr& hdr = pair_.wire().packets()[0].hdr;
  EXPECT_TRUE(hdr.is(Type::kDgram));
  EXPECT_TRUE(hdr.is(Op::kRw));
  EXPECT_EQ(hdr.len, 4000u);
  EXPECT_EQ(hdr.flags, 0u);
  EXPECT_EQ(hdr.buf_alloc, 0u);
  EXPECT_EQ(hdr.fwd_cnt, 0u);
}

TEST_P(DatagramTest, EmptyOneIsAMessageToo) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  sender_.MustSendTo(to(), 0);
  pair_.Run();

  const ReceiveResult result = receiver.Receive();
  EXPECT_FALSE(result.would_block);
  EXPECT_EQ(result.message_bytes, 0u);
  EXPECT_EQ(result.from, sender_.address());
  EXPECT_TRUE(receiver.Receive().would_block);
}

TEST_P(DatagramTest, BoundariesAndOrderAreKept) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  const std::vector<uint32_t> lengths = {1, 0, 16, 17, 128, 129, 4096, 2};
  for (const uint32_t len : lengths) {
    sender_.MustSendTo(to(), Pattern(len, len));
  }
  pair_.Run();

  for (const uint32_t len : lengths) {
    EXPECT_TRUE(receiver.Take() == Pattern(len, len)) << len;
  }
}

TEST_P(DatagramTest, Above64KiBIsTooLong) {
  EXPECT_EQ(ErrnoOf(sender_.SendTo(to(), 65537).status), "EMSGSIZE");
  EXPECT_EQ(ErrnoOf(sender_.SendTo(to(), 0xffffffff).status), "EMSGSIZE");
  EXPECT_EQ(ErrnoOf(sender_.SendTo(to(), 65536).status), "OK");
}

TEST_P(DatagramTest, SenderGetsAPortOnItsFirstSendAndKeepsIt) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  sender_.MustSendTo(to(), 1);
  const Address from = sender_.address();
  sender_.MustSendTo(to(), 1);
  pair_.Run();
  EXPECT_EQ(receiver.Receive().from, from);
  EXPECT_EQ(receiver.Receive().from, from);

  receiver.MustSendTo(from, 7);
  pair_.Run();

  EXPECT_EQ(sender_.Receive().message_bytes, 7u);
}

TEST_P(DatagramTest, ReadCutShortSaysSoAndTheRestIsGone) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  sender_.MustSendTo(to(), Pattern(1000, 1));
  sender_.MustSendTo(to(), Pattern(50, 2));
  pair_.Run();

  std::vector<std::byte> got(100);
  const ReceiveResult cut =
      receiver.sockets->Receive(receiver.id, got.data(), 100);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.bytes, 100u);
  EXPECT_EQ(cut.message_bytes, 1000u);
  const std::vector<std::byte> whole = Pattern(1000, 1);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), whole.begin()));
  EXPECT_TRUE(receiver.Take() == Pattern(50, 2));
}

TEST_P(DatagramTest, ReadOfNothingTakesTheDatagram) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  sender_.MustSendTo(to(), 10);
  pair_.Run();

  EXPECT_TRUE(receiver.Receive(0).truncated);
  EXPECT_TRUE(receiver.Receive().would_block);
}

TEST_P(DatagramTest, ConnectedSocketSendsToItsPeerAndHearsNobodyElse) {
  const DatagramEnd peer = OpenDatagram(pair_, receiver_side(), kPort);
  const DatagramEnd stranger = OpenDatagram(pair_, receiver_side(), Port(99));
  Transport& sockets = *sender_.sockets;
  ASSERT_TRUE(sockets.Connect(sender_.id, to(), pair_.now()).ok());
  EXPECT_EQ(sockets.Send(sender_.id, {.len = 5}).accepted, 5u);
  pair_.Run();
  EXPECT_EQ(peer.Receive().message_bytes, 5u);

  stranger.MustSendTo(sender_.address(), 6);
  peer.MustSendTo(sender_.address(), 7);
  pair_.Run();

  EXPECT_EQ(sender_.Receive().message_bytes, 7u);
  EXPECT_TRUE(sender_.Receive().would_block);
  EXPECT_EQ(LostFor(pair_, DropReason::kPeerMismatch).bytes, 6u);
}

TEST_P(DatagramTest, FilterOfAConnectedSocketStaysAfterItsShutdown) {
  const DatagramEnd peer = OpenDatagram(pair_, receiver_side(), kPort);
  const DatagramEnd stranger = OpenDatagram(pair_, receiver_side(), Port(99));
  Transport& sockets = *sender_.sockets;
  ASSERT_TRUE(sockets.Connect(sender_.id, to(), pair_.now()).ok());
  ASSERT_TRUE(sockets.ShutDown(sender_.id, kShutdownSend).ok());

  stranger.MustSendTo(sender_.address(), 6);
  peer.MustSendTo(sender_.address(), 7);
  pair_.Run();

  EXPECT_EQ(sender_.Receive().message_bytes, 7u);
  EXPECT_EQ(LostFor(pair_, DropReason::kPeerMismatch).packets, 1u);
  EXPECT_EQ(ErrnoOf(sockets.Send(sender_.id, {.len = 1}).status), "EPIPE");
}

TEST_P(DatagramTest, ConnectsAnewToAnotherPeer) {
  const DatagramEnd first = OpenDatagram(pair_, receiver_side(), kPort);
  const DatagramEnd second = OpenDatagram(pair_, receiver_side(), Port(99));
  Transport& sockets = *sender_.sockets;
  ASSERT_TRUE(sockets.Connect(sender_.id, to(), pair_.now()).ok());
  ASSERT_TRUE(sockets.Connect(sender_.id, to(Port(99)), pair_.now()).ok());

  EXPECT_EQ(sockets.Send(sender_.id, {.len = 5}).accepted, 5u);
  pair_.Run();

  EXPECT_TRUE(first.Receive().would_block);
  EXPECT_EQ(second.Receive().message_bytes, 5u);
}

TEST_P(DatagramTest, ShutDownReceiverHearsNothingMoreAndSaysTheEnd) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  Transport& sockets = *receiver.sockets;
  sender_.MustSendTo(to(), 1);
  pair_.Run();
  ASSERT_TRUE(
      sockets.Connect(receiver.id, sender_.address(), pair_.now()).ok());
  ASSERT_TRUE(sockets.ShutDown(receiver.id, kShutdownReceive).ok());

  sender_.MustSendTo(to(), 2);
  pair_.Run();

  EXPECT_EQ(receiver.Receive().message_bytes, 1u);
  EXPECT_TRUE(receiver.Receive().end_of_stream);
  EXPECT_EQ(LostFor(pair_, DropReason::kShutDown).bytes, 2u);
}

TEST_P(DatagramTest, NamesTheCallersFaults) {
  Transport& sockets = *sender_.sockets;
  EXPECT_EQ(ErrnoOf(sockets.Send(sender_.id, {.len = 1}).status), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(sender_.SendTo({sockets.cid(), kPort}, 1).status),
            "ENODEV");
  EXPECT_EQ(
      ErrnoOf(sockets.Connect(sender_.id, {sockets.cid(), kPort}, pair_.now())),
      "ENODEV");
  EXPECT_EQ(ErrnoOf(sockets.ShutDown(sender_.id, kShutdownSend)), "ENOTCONN");
  EXPECT_EQ(ErrnoOf(sockets.Listen(sender_.id, 1)), "EINVAL");
  EXPECT_EQ(ErrnoOf(sockets.Accept(sender_.id)), "EINVAL");
  EXPECT_TRUE(sender_.Receive().would_block);
}

TEST_P(DatagramTest, StreamSocketHasNoDatagramOptions) {
  Transport& sockets = *sender_.sockets;
  const SocketId stream = *sockets.Open(Type::kStream);

  EXPECT_EQ(ErrnoOf(sockets.SetSendBuffer(stream, 5000)), "EINVAL");
  EXPECT_EQ(ErrnoOf(sockets.SetReceiveBuffer(stream, 5000)), "EINVAL");
}

TEST_P(DatagramTest, TypeThatWasNotNegotiatedCannotBeOpenedAndIsDropped) {
  VsockPair::Options options = VsockPair::Defaults();
  (receiver_side() == Side::kGuest ? options.guest.transport
                                   : options.host.transport)
      .features = Features(Features::kStream);
  VsockPair pair(options);
  pair.RecordWire();

  OpenDatagram(pair, sender_side()).MustSendTo(to(), 10);
  pair.Run();

  EXPECT_EQ(ErrnoOf(pair.sockets(receiver_side()).Open(Type::kDgram)),
            "EINVAL");
  EXPECT_EQ(LostFor(pair, DropReason::kNotNegotiated).bytes, 10u);
  EXPECT_EQ(pair.wire().packets().size(), 1u);  // and no RST
}

TEST_P(DatagramTest, SameAddressAsAStreamInEitherOrderOfBinding) {
  Transport& sockets = pair_.sockets(receiver_side());
  const SocketId listener = Listen(pair_, receiver_side(), Port(20));
  const DatagramEnd dgram = OpenDatagram(pair_, receiver_side(), Port(20));
  const DatagramEnd first = OpenDatagram(pair_, receiver_side(), Port(21));
  EXPECT_EQ(ErrnoOf(sockets.Bind(*sockets.Open(Type::kStream), Port(21))),
            "OK");

  sender_.MustSendTo(to(Port(20)), 5);
  const End client = BeginConnect(pair_, sender_side(), Port(20));
  pair_.Run();
  client.MustSend(6);
  pair_.Run();

  EXPECT_EQ(dgram.Receive().message_bytes, 5u);
  EXPECT_TRUE(dgram.Receive().would_block);
  EXPECT_TRUE(first.Receive().would_block);
  const End server = {&sockets, *sockets.Accept(listener)};
  EXPECT_EQ(server.ReadLength(100), 6u);
  EXPECT_EQ(server.ReadLength(100), 0u);
}

TEST_P(DatagramTest, FloodToAnUnboundPortIsNeverAnsweredAndHurtsNoStream) {
  const Ends ends = Connect(pair_, sender_side());
  const Port stream_port = *ends.server.socket().port;
  pair_.RecordWire();
  for (int i = 0; i < 1000; ++i) {
    sender_.MustSendTo(to(stream_port), 100);
    pair_.Run();
  }
  ends.client.MustSend(10);
  pair_.Run();

  EXPECT_EQ(LostFor(pair_, DropReason::kNoSocket).packets, 1000u);
  EXPECT_TRUE(pair_.wire().Only(Op::kRst).empty());
  EXPECT_TRUE(
      pair_.wire().From(/*guest=*/receiver_side() == Side::kGuest).empty());
  EXPECT_EQ(ends.server.ReadLength(100), 10u);
}

TEST_P(DatagramTest, FullReceiveBufferDropsAndSaysNothingToTheSender) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  for (int i = 0; i < 30; ++i) {
    sender_.MustSendTo(to(), 4096);
    pair_.Run();
  }

  EXPECT_EQ(receiver.part().receive_queue.size(), 26u);
  EXPECT_EQ(LostFor(pair_, DropReason::kReceiveBufferFull).packets, 4u);
  EXPECT_EQ(LostFor(pair_, DropReason::kReceiveBufferFull).bytes, 4u * 4096u);
  ASSERT_EQ(receiver.Receive().message_bytes, 4096u);
  sender_.MustSendTo(to(), 4096);
  pair_.Run();
  EXPECT_EQ(receiver.part().receive_queue.size(), 26u);
}

TEST_P(DatagramTest, ReceiveBufferFollowsItsOption) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  ASSERT_TRUE(receiver.sockets->SetReceiveBuffer(receiver.id, 8448).ok());
  EXPECT_EQ(receiver.part().receive_queue.limit(), 16896u);
  for (int i = 0; i < 5; ++i) sender_.MustSendTo(to(), 4096);
  pair_.Run();

  EXPECT_EQ(receiver.part().receive_queue.size(), 2u);
}

TEST_P(DatagramTest, CloseDropsWhatWasNotReadAndCountsIt) {
  const DatagramEnd receiver = OpenDatagram(pair_, receiver_side(), kPort);
  sender_.MustSendTo(to(), 100);
  sender_.MustSendTo(to(), 50);
  pair_.Run();

  ASSERT_TRUE(receiver.sockets->Close(receiver.id, pair_.now()).ok());
  sender_.MustSendTo(to(), 7);
  pair_.Run();

  EXPECT_EQ(LostFor(pair_, DropReason::kSocketClosed).packets, 2u);
  EXPECT_EQ(LostFor(pair_, DropReason::kSocketClosed).bytes, 150u);
  EXPECT_EQ(LostFor(pair_, DropReason::kNoSocket).bytes, 7u);
}

TEST_P(DatagramTest, ClosedSocketIsTheCallersFaultAndLeavesItsPortFree) {
  pair_.Pause(Worker::kDevice);
  pair_.Pause(Worker::kReclaim);
  ASSERT_TRUE(sender_.sockets->Bind(sender_.id, Port(30)).ok());
  sender_.MustSendTo(to(), 100);  // so that the socket lives on, charged
  ASSERT_TRUE(sender_.sockets->Close(sender_.id, pair_.now()).ok());

  EXPECT_EQ(ErrnoOf(sender_.sockets->Bind(sender_.id, Port(31))), "EBADF");
  EXPECT_EQ(ErrnoOf(sender_.SendTo(to(), 1).status), "EBADF");
  EXPECT_EQ(ErrnoOf(sender_.sockets->SetSendBuffer(sender_.id, 1)), "EBADF");
  const DatagramEnd next = OpenDatagram(pair_, sender_side());
  EXPECT_EQ(ErrnoOf(next.sockets->Bind(next.id, Port(30))), "OK");
  const DatagramEnd other = OpenDatagram(pair_, sender_side());
  EXPECT_EQ(ErrnoOf(other.sockets->Bind(other.id, Port(31))), "OK");
}

TEST(DatagramRouteTest, GuestsDatagramToANonexistentGuestIsLostAtTheDevice) {
  VsockPair pair;
  const DatagramEnd sender = OpenDatagram(pair, Side::kGuest);
  sender.MustSendTo({Cid(77), kPort}, 10);
  pair.Run();

  EXPECT_EQ(pair.device().losses().counters()[DropReason::kWrongCid].bytes,
            10u);
}

TEST(DatagramRouteTest, HostKnowsThatNoDeviceLeadsThere) {
  VsockPair pair;
  const DatagramEnd sender = OpenDatagram(pair, Side::kHost);

  EXPECT_EQ(ErrnoOf(sender.SendTo({Cid(77), kPort}, 1).status), "ENODEV");
  EXPECT_EQ(
      ErrnoOf(sender.sockets->Connect(sender.id, {Cid(77), kPort}, pair.now())),
      "ENODEV");
}

TEST(DatagramOpTest, OtherOperationsThanRwAreMalformedAndNotAnswered) {
  LoneTransport lone;
  const SocketId id = *lone.sockets().Open(Type::kDgram);
  ASSERT_TRUE(lone.sockets().Bind(id, kPort).ok());
  for (uint16_t op = 0; op <= 8; ++op) {
    if (static_cast<Op>(op) == Op::kRw) continue;
    lone.Deliver(kPort, Type::kDgram, static_cast<Op>(op), 1);
  }

  EXPECT_TRUE(lone.TakeSent().empty());
  EXPECT_EQ(lone.sockets().losses().counters()[DropReason::kMalformed].packets,
            8u);
  EXPECT_TRUE(lone.sockets().Receive(id, nullptr, 10).would_block);
}

// An rx buffer of 4140 or 3776 bytes, and a payload of one less than, exactly
// and one more than the room behind its header.
class DatagramSizeTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  DatagramSizeTest() {
    VsockPair::Options options = VsockPair::Defaults();
    options.guest.driver.rx_buffer_bytes = GetParam();
    pair_ = std::make_unique<VsockPair>(options);
  }
  uint32_t room() const { return GetParam() - 44; }

  std::unique_ptr<VsockPair> pair_;
};

INSTANTIATE_TEST_SUITE_P(RxBuffers, DatagramSizeTest,
                         ::testing::Values(45, 100, 3776, 4140, 65580));

TEST_P(DatagramSizeTest, HostsDatagramFitsWholeOrIsLostWithItsCause) {
  const DatagramEnd receiver = OpenDatagram(*pair_, Side::kGuest, kPort);
  const DatagramEnd sender = OpenDatagram(*pair_, Side::kHost);
  const Address to = receiver.address();
  sender.MustSendTo(to, Pattern(room() - 1, 1));
  sender.MustSendTo(to, Pattern(room(), 2));
  const bool fits_any = room() == 65536;
  if (!fits_any) sender.MustSendTo(to, room() + 1);
  pair_->Run();

  EXPECT_TRUE(receiver.Take() == Pattern(room() - 1, 1));
  EXPECT_TRUE(receiver.Take() == Pattern(room(), 2));
  EXPECT_EQ(receiver.Take(), std::nullopt);
  EXPECT_EQ(LostFor(*pair_, DropReason::kRxBufferTooSmall).bytes,
            fits_any ? 0 : room() + 1);
  EXPECT_EQ(sender.part().send_buffer.charged(), 0u);
}

TEST_P(DatagramSizeTest, GuestsDatagramsKnowNoSuchLimit) {
  const DatagramEnd receiver = OpenDatagram(*pair_, Side::kHost, kPort);
  const DatagramEnd sender = OpenDatagram(*pair_, Side::kGuest);
  const uint32_t larger = room() == 65536 ? 65536 : room() + 1;
  sender.MustSendTo(receiver.address(), Pattern(room() - 1, 1));
  sender.MustSendTo(receiver.address(), Pattern(larger, 2));
  pair_->Run();

  EXPECT_TRUE(receiver.Take() == Pattern(room() - 1, 1));
  EXPECT_TRUE(receiver.Take() == Pattern(larger, 2));
}

TEST(DatagramRxBufferTest, LostOnesCostNoRxBuffer) {
  VsockPair pair;
  const DatagramEnd sender = OpenDatagram(pair, Side::kHost);
  const uint32_t posted = pair.guest().driver().rx_posted();
  for (int i = 0; i < 300; ++i) {
    sender.MustSendTo({kTestGuestCid, kPort}, 4097);
    pair.Run();
  }

  EXPECT_EQ(pair.guest().driver().rx_posted(), posted);
  EXPECT_EQ(LostInAll(pair).packets, 300u);
}

}  // namespace
}  // namespace vsock
