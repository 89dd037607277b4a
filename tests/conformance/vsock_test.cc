// One test for each rule of the socket device's chapter.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "tests/support/raw_guest.h"
#include "tests/support/spec.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/device.h"
#include "vsock/features.h"
#include "vsock/hdr.h"

namespace vsock {
namespace {

// A stream opens over this; what the client heard.
std::string OpenedWith(uint64_t negotiated, Side client) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.transport.features = Features(negotiated);
  options.host.transport.features = Features(negotiated);
  VsockPair pair(options);
  Listen(pair, Other(client));
  const End end = BeginConnect(pair, client);
  pair.Run();
  return ErrnoOf(end.sockets->ConnectStatus(end.id));
}

// How a side answers a packet of a type that does not exist.
VsockHdr UnknownType() {
  return RawGuest::Header(static_cast<Type>(77), Op::kRw, Port(5));
}

TEST(SocketFeatureBits, DriverActsAsIfStreamWereNegotiatedIfNothingIs) {
  Spec("1.3", "5.10.3.1", Level::kShould);

  EXPECT_EQ(OpenedWith(0, Side::kGuest), "OK");
}

TEST(SocketFeatureBits, DriverImpliesStreamBySeqpacket) {
  Spec("1.3", "5.10.3.1", Level::kMay);

  EXPECT_EQ(OpenedWith(Features::kSeqpacket, Side::kGuest), "OK");
}

TEST(SocketFeatureBits, DeviceActsAsIfStreamWereNegotiatedIfNothingIs) {
  Spec("1.3", "5.10.3.2", Level::kShould);

  EXPECT_EQ(OpenedWith(0, Side::kHost), "OK");
}

TEST(SocketFeatureBits, DeviceImpliesStreamBySeqpacket) {
  Spec("1.3", "5.10.3.2", Level::kMay);

  EXPECT_EQ(OpenedWith(Features::kSeqpacket, Side::kHost), "OK");
}

// Sends through a full ring in the other direction. How many of `count` packets
// arrived: all of them, as none asks for a reply.
uint64_t ArrivedPastAFullRing(Side receiver, int count) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_size = 4;
  VsockPair pair(options);
  const Ends ends = Connect(pair, Other(receiver));
  const bool guest_receives = receiver == Side::kGuest;
  if (!guest_receives) pair.Pause(Worker::kRx);  // rx fills up
  for (int i = 0; i < 50; ++i) ends.server.MustSend(10);
  if (guest_receives) pair.Pause(Worker::kReclaim);  // tx fills up
  pair.Run();
  for (int i = 0; i < count; ++i) ends.client.MustSend(100);
  pair.Run();
  const uint64_t arrived = ends.server.ReadLength(1 << 20) / 100;
  pair.Resume(Worker::kRx);
  pair.Resume(Worker::kReclaim);
  pair.Run();
  return arrived;
}

TEST(SocketFlowControl, DriverProcessesRxThoughTxIsFull) {
  Spec("1.3", "5.10.6.1.1", Level::kMust);

  EXPECT_EQ(ArrivedPastAFullRing(Side::kGuest, 100), 100u);
}

TEST(SocketFlowControl, DeviceProcessesTxThoughRxIsFull) {
  Spec("1.3", "5.10.6.1.2", Level::kMust);

  EXPECT_EQ(ArrivedPastAFullRing(Side::kHost, 100), 100u);
}

// Sends all it may to a peer of 5000 bytes that reads 1000 of them and has
// another 700 sent. The payload of all packets that were on the wire.
uint64_t PayloadSent(Side sender) {
  VsockPair::Options options = VsockPair::Defaults();
  VsockPair pair(options);
  const Ends ends = Connect(pair, sender);
  const StreamBufferSize small = {.size = 5000};
  EXPECT_TRUE(ends.server.sockets->SetBufferSize(ends.server.id, small).ok());
  pair.Run();
  pair.RecordWire();
  const auto send_all = [&](uint32_t len) {
    while (len > 0) {
      const uint32_t accepted = ends.client.Send(len).accepted;
      if (accepted == 0) break;
      len -= accepted;
    }
    pair.Run();
  };
  send_all(1000);
  send_all(1 << 20);
  EXPECT_EQ(ends.server.ReadLength(1000), 1000u);
  pair.Run();
  send_all(700);
  uint64_t payload = 0;
  for (const WirePacket& packet : pair.wire().Only(Op::kRw)) {
    payload += packet.hdr.len;
  }
  return payload;
}

TEST(SocketBufferSpace, DriverSendsPayloadOnlyIntoFreeSpace) {
  Spec("1.3", "5.10.6.3.1", Level::kMust);

  EXPECT_EQ(PayloadSent(Side::kGuest), 5700u);
}

TEST(SocketBufferSpace, DeviceSendsPayloadOnlyIntoFreeSpace) {
  Spec("1.3", "5.10.6.3.2", Level::kMust);

  EXPECT_EQ(PayloadSent(Side::kHost), 5700u);
}

// All packets of a whole connection's life, of the side that was the client.
std::vector<WirePacket> LifeOfAConnection(Side client) {
  VsockPair pair;
  pair.RecordWire();
  const Ends ends = Connect(pair, client);
  ends.server.MustSend(100);
  pair.Run();
  ends.client.ReadLength(100);
  ends.client.MustSend(5);
  pair.Run();
  Close(pair, ends.client);
  pair.Run();
  return pair.wire().From(/*guest=*/client == Side::kGuest);
}

// REQUEST, CREDIT_UPDATE, RW, SHUTDOWN: the last three after 100 bytes.
void ExpectCreditInAll(const std::vector<WirePacket>& packets) {
  ASSERT_EQ(packets.size(), 4u);
  for (const WirePacket& packet : packets) {
    EXPECT_EQ(packet.hdr.buf_alloc, 262144u);
    EXPECT_EQ(packet.hdr.fwd_cnt, packet.is(Op::kRequest) ? 0u : 100u);
  }
}

TEST(SocketBufferSpace, DriverFillsInCreditInAllPacketsOfAStream) {
  Spec("1.3", "5.10.6.3.1", Level::kMust);

  ExpectCreditInAll(LifeOfAConnection(Side::kGuest));
}

TEST(SocketBufferSpace, DeviceFillsInCreditInAllPacketsOfAStream) {
  Spec("1.3", "5.10.6.3.2", Level::kMust);

  ExpectCreditInAll(LifeOfAConnection(Side::kHost));
}

TEST(SocketReceiveAndTransmit, DriverUsesGuestCidAsSource) {
  Spec("1.3", "5.10.6.4.1", Level::kMust);

  for (const WirePacket& packet : LifeOfAConnection(Side::kGuest)) {
    EXPECT_EQ(packet.hdr.src_cid, kTestGuestCid.value());
  }
}

TEST(SocketReceiveAndTransmit, DriverAnswersAnUnknownTypeWithRst) {
  Spec("1.3", "5.10.6.4.1", Level::kMust);
  VsockPair pair;
  pair.RecordWire();
  VsockHdr hdr = UnknownType();
  hdr.set_source({kCidHost, Port(8)});
  hdr.set_destination({kTestGuestCid, Port(5)});
  PacketPtr packet = pair.guest().pool().Allocate(0);
  packet->hdr = hdr;

  pair.guest_sockets().Deliver(std::move(packet), pair.now());
  pair.Run();

  ASSERT_EQ(pair.wire().packets().size(), 1u);
  EXPECT_TRUE(pair.wire().packets()[0].is(Op::kRst));
  EXPECT_EQ(pair.wire().packets()[0].hdr.destination(), hdr.source());
}

TEST(SocketReceiveAndTransmit, DeviceHasNoReservedGuestCid) {
  Spec("1.3", "5.10.6.4.2", Level::kMustNot);
  VsockPair pair;
  for (const uint64_t cid : {uint64_t{0}, uint64_t{1}, uint64_t{2},
                             uint64_t{0xffffffff}, ~uint64_t{0}}) {
    EXPECT_FALSE(pair.host()
                     .AddGuest(pair.guest().memory(),
                               {.cid = Cid(cid),
                                .rings = pair.guest().driver().layout()})
                     .ok());
  }
}

TEST(SocketReceiveAndTransmit, DeviceAnswersAnUnknownTypeWithRst) {
  Spec("1.3", "5.10.6.4.2", Level::kMust);
  RawGuest guest;
  guest.OfferRx({RawGuest::Piece{100, true}});
  guest.OfferTx(UnknownType());

  guest.Serve();

  EXPECT_TRUE(guest.LastRxHeader().is(Op::kRst));
  EXPECT_EQ(guest.LastRxHeader().destination(),
            (Address{RawGuest::kCid, RawGuest::kPort}));
}

}  // namespace
}  // namespace vsock
