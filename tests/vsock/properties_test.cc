// Tries vsock/properties.h: each property can fail. The pair is brought to rest
// in good order, then one thing is made wrong behind its back.

#include "vsock/properties.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/testing/raw_device.h"
#include "vsock/connection.h"
#include "vsock/credit.h"
#include "vsock/datagram_queue.h"
#include "vsock/effects.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/socket.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {
namespace {

using ::testing::HasSubstr;

struct Context {
  Context() : properties(pair.guest(), pair.host(), pair.device()) {
    listener = *pair.host_sockets().Open(Type::kStream);
    EXPECT_TRUE(pair.host_sockets().Bind(listener, Port(10)).ok());
    EXPECT_TRUE(pair.host_sockets().Listen(listener, 8).ok());
    client = *pair.guest_sockets().Open(Type::kStream);
    EXPECT_TRUE(pair.guest_sockets()
                    .Connect(client, {kCidHost, Port(10)}, pair.now())
                    .ok());
    receiver = *pair.host_sockets().Open(Type::kDgram);
    EXPECT_TRUE(pair.host_sockets().Bind(receiver, Port(9)).ok());
    sender = *pair.guest_sockets().Open(Type::kDgram);
    SendDatagram();
    pair.Run();
    server = *pair.host_sockets().Accept(listener);
    SendStream(1000);
    pair.Run();
    EXPECT_TRUE(properties.AtRest().ok()) << properties.AtRest();
  }

  void SendDatagram() {
    EXPECT_TRUE(
        pair.guest_sockets()
            .Send(sender, {.len = 100, .to = Address{kCidHost, Port(9)}})
            .status.ok());
  }
  void SendStream(uint32_t bytes) {
    EXPECT_TRUE(pair.guest_sockets().Send(client, {.len = bytes}).status.ok());
  }
  Socket& guest_socket(SocketId id) {
    return *pair.guest_sockets().table().Find(id);
  }
  Socket& host_socket(SocketId id) {
    return *pair.host_sockets().table().Find(id);
  }
  std::string AtRest() { return std::string(properties.AtRest().message()); }
  std::string AfterStep() {
    return std::string(properties.AfterStep().message());
  }
  Credit& client_credit() { return guest_socket(client).connection->credit(); }
  // What a transport counts, to be made wrong.
  static Transport::Counters& Counters(Transport& transport) {
    return const_cast<Transport::Counters&>(transport.counters());
  }

  VsockPair pair;
  Properties properties;
  SocketId listener, client, server, sender, receiver;
};

TEST(PropertiesTest, SeesCreditThatTheReceiverHasNotGiven) {
  Context context;
  VsockHdr hdr;
  hdr.buf_alloc = 262144;
  hdr.fwd_cnt = 5000;

  context.guest_socket(context.client).connection->credit().OnPeer(hdr);

  EXPECT_THAT(context.AtRest(), HasSubstr("credit that the receiver"));
}

TEST(PropertiesTest, SeesStreamBytesThatDisappear) {
  Context context;

  context.host_socket(context.server).counters.arrived_bytes += 1;

  EXPECT_THAT(context.AtRest(), HasSubstr("appeared or disappeared"));
}

TEST(PropertiesTest, SeesFwdCntThatIsNotWhatWasRead) {
  Context context;

  context.host_socket(context.server).connection->credit().OnFreed(10);

  EXPECT_THAT(context.AtRest(), HasSubstr("fwd_cnt is not what was read"));
}

TEST(PropertiesTest, SeesASleeperThatWasNotTold) {
  Context context;

  context.host_socket(context.server).waiting = kReadable;

  EXPECT_THAT(context.AtRest(), HasSubstr("sleeper was not told"));
}

TEST(PropertiesTest, SeesASenderAndAReceiverThatWaitForEachOther) {
  Context context;
  Credit& credit = context.guest_socket(context.client).connection->credit();
  credit.Take(credit.Space());

  context.guest_socket(context.client).waiting = kWritable;
  context.host_socket(context.server).low_water = 2000;
  context.host_socket(context.server).waiting = kReadable;

  EXPECT_THAT(context.AtRest(), HasSubstr("for more than it holds"));
}

// The rules of Linux allow it: fwd_cnt moves by whole packets, so the rest of
// one keeps its sender waiting, and a reader may sleep for more than that rest.
TEST(PropertiesTest, SeesAReaderThatSleepsForMoreThanTheRestOfAPacket) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.transport.stream_buffer.size = 1000;
  options.host.transport.stream_buffer.size = 1000;
  VsockPair pair(options);
  const Ends ends = Connect(pair);
  ends.client.MustSend(1000);
  pair.Run();
  EXPECT_EQ(ends.server.ReadLength(950), 950u);
  EXPECT_TRUE(pair.host_sockets().SetLowWater(ends.server.id, 100).ok());

  EXPECT_FALSE(pair.host_sockets().WaitFor(ends.server.id, kReadable));
  EXPECT_FALSE(pair.guest_sockets().WaitFor(ends.client.id, kWritable));

  EXPECT_NONFATAL_FAILURE(pair.Run(), "sender sleeps for credit");
}

TEST(PropertiesTest, LooksAtOneStepInItsStride) {
  Context context;
  Properties each_fourth(context.pair.guest(), context.pair.host(),
                         context.pair.device(), /*stride=*/4);

  context.guest_socket(context.client).counters.arrived_bytes += 1;

  for (int step = 1; step < 4; ++step)
    EXPECT_TRUE(each_fourth.AfterStep().ok());
  EXPECT_FALSE(each_fourth.AfterStep().ok());
}

TEST(PropertiesTest, SeesALivelock) {
  Context context;
  absl::Status status;

  for (int step = 0; step < 1'000'000 && status.ok(); ++step) {
    status = context.properties.AfterStep();
  }

  EXPECT_THAT(std::string(status.message()), HasSubstr("livelock"));
}

TEST(PropertiesTest, SeesReceiveMemoryBeyondWhatWasAnnounced) {
  Context context;
  Credit& credit = context.host_socket(context.server).connection->credit();

  credit.Resize(1 << 20);
  EXPECT_TRUE(credit.Accept(1 << 19));
  credit.Resize(1000);

  EXPECT_THAT(context.AfterStep(), HasSubstr("receive memory beyond"));
}

TEST(PropertiesTest, SeesADatagramThatIsNeitherReadNorLost) {
  Context context;

  context.host_socket(context.receiver).datagram->receive_queue.Take();

  EXPECT_THAT(context.AtRest(), HasSubstr("neither queued, read nor lost"));
}

TEST(PropertiesTest, SeesASendChargeThatDidNotReturn) {
  Context context;

  context.guest_socket(context.sender).datagram->send_buffer.Charge(1);

  EXPECT_THAT(context.AtRest(),
              HasSubstr("send charges: charged 1 for datagrams of 0"));
}

TEST(PropertiesTest, SeesATxRingThatTheDeviceWasNotToldOf) {
  Context context;

  context.SendDatagram();
  const Effects owed = context.pair.guest().driver().Submit();

  EXPECT_TRUE(owed.kick_tx);  // and withheld
  EXPECT_THAT(context.AtRest(), HasSubstr("idle device was not told"));
}

TEST(PropertiesTest, SeesUsedBuffersThatTheDriverWasNotToldOf) {
  Context context;
  context.pair.Pause(Worker::kReclaim);

  context.SendDatagram();
  context.pair.Run();

  EXPECT_THAT(context.AtRest(), HasSubstr("idle driver was not told"));
}

TEST(PropertiesTest, SeesAHostListThatTheDeviceWasNotToldOf) {
  Context context;
  EXPECT_TRUE(context.pair.host_sockets()
                  .Send(context.server, {.len = 10})
                  .status.ok());

  EXPECT_THAT(context.AtRest(), HasSubstr("host's send list has work"));
}

TEST(PropertiesTest, NamesThePropertyByNumberAndWordAndTheSocket) {
  Context context;
  const uint32_t port = context.guest_socket(context.client).port->value();

  context.guest_socket(context.client).counters.arrived_bytes += 1;

  EXPECT_EQ(context.AtRest(),
            absl::StrCat("property 2, stream bytes: bytes appeared or "
                         "disappeared (cid 3, port ",
                         port, ")"));
}

TEST(PropertiesTest, SeesMoreInFlightThanWasEverAnnounced) {
  Context context;
  Credit& credit = context.client_credit();
  VsockHdr generous;
  generous.buf_alloc = 1 << 20;
  credit.Resize(1 << 20);
  credit.OnPeer(generous);

  EXPECT_EQ(credit.Take(300000), 300000u);

  EXPECT_THAT(context.AfterStep(), HasSubstr("more in flight"));
}

TEST(PropertiesTest, SeesASenderThatDoesNotKnowWhatWasAnnounced) {
  Context context;
  VsockHdr stale;
  stale.buf_alloc = 1000;

  context.client_credit().OnPeer(stale);

  EXPECT_THAT(context.AtRest(), HasSubstr("does not know what was announced"));
}

TEST(PropertiesTest, SeesAnUpdateThatWasDueAndNotSent) {
  Context context;
  Socket& server = context.host_socket(context.server);

  EXPECT_EQ(server.connection->Read(nullptr, 1000), 1000u);
  server.counters.received_bytes += 1000;

  EXPECT_THAT(context.AtRest(), HasSubstr("was due and not sent"));
}

TEST(PropertiesTest, SeesStreamBytesThatDoNotArrive) {
  Context context;

  context.SendStream(10);
  context.pair.guest().send_list().PopFront();

  EXPECT_THAT(context.AtRest(), HasSubstr("to the host did not arrive"));
}

TEST(PropertiesTest, SeesStreamBytesThatNobodySent) {
  Context context;
  PacketPtr packet = context.pair.host().pool().Allocate(10);
  packet->hdr.set(Type::kStream, Op::kRw);
  packet->hdr.set_destination({kCidHost, Port(77)});

  context.pair.host_sockets().Deliver(std::move(packet), context.pair.now());

  EXPECT_THAT(context.AfterStep(),
              HasSubstr("stream bytes: more arrived than were sent"));
}

TEST(PropertiesTest, SeesADatagramThatDoesNotArrive) {
  Context context;

  context.SendDatagram();
  context.pair.guest().send_list().PopFront();

  EXPECT_THAT(context.AtRest(), HasSubstr("neither there nor counted"));
}

TEST(PropertiesTest, SeesADatagramThatNobodySent) {
  Context context;
  PacketPtr packet = context.pair.host().pool().Allocate(10);
  packet->hdr.set(Type::kDgram, Op::kRw);
  packet->hdr.set_destination({kCidHost, Port(9)});

  context.pair.host_sockets().Deliver(std::move(packet), context.pair.now());

  EXPECT_THAT(context.AfterStep(),
              HasSubstr("datagrams: more arrived than were sent"));
}

TEST(PropertiesTest, SeesAHostsChargeThatDidNotReturn) {
  Context context;

  context.host_socket(context.receiver).datagram->send_buffer.Charge(7);

  EXPECT_THAT(context.AtRest(), HasSubstr("charged 7 for datagrams of 0"));
}

TEST(PropertiesTest, SeesAStreamWithoutItsOtherEnd) {
  Context context;

  context.pair.host_sockets().table().Disconnect(
      context.host_socket(context.server));

  EXPECT_THAT(context.AtRest(), HasSubstr("the peer has not answered"));
}

TEST(PropertiesTest, SeesMoreRepliesThanOneRing) {
  Context context;
  for (int i = 0; i < 129; ++i) {
    PacketPtr reply = context.pair.guest().pool().Allocate(0);
    reply->is_reply = true;
    context.pair.guest().send_list().PushReply(std::move(reply));
  }

  EXPECT_THAT(context.AfterStep(), HasSubstr("one ring of queued replies"));
}

TEST(PropertiesTest, SeesABrokenRing) {
  Context context;
  virtqueue::RawDevice device(context.pair.guest().memory(),
                              std::get<virtqueue::SplitRingAddrs>(
                                  context.pair.guest().driver().layout().rx),
                              128);
  device.Use(9999, 44);
  (void)context.pair.guest().driver().RxStep(context.pair.now());

  EXPECT_THAT(context.AfterStep(), HasSubstr("broken by one of its halves"));
}

TEST(PropertiesTest, SeesAnAnsweredRst) {
  Context context;

  Context::Counters(context.pair.host_sockets()).rst_answered = 1;

  EXPECT_THAT(context.AfterStep(), HasSubstr("an RST was answered"));
}

TEST(PropertiesTest, SeesAPacketBeforeThePeerHasAcknowledged) {
  Context context;

  Context::Counters(context.pair.guest_sockets()).premature = 1;

  EXPECT_THAT(context.AfterStep(), HasSubstr("before the peer"));
}

TEST(PropertiesTest, SeesMoreDatagramsReadThanArrived) {
  Context context;

  Context::Counters(context.pair.host_sockets()).datagrams_read += 2;

  EXPECT_THAT(context.AfterStep(), HasSubstr("more read and lost"));
}

TEST(PropertiesTest, SeesAReceiveQueueBeyondItsBuffer) {
  Context context;
  context.SendDatagram();  // the last socket that was touched is this one
  context.pair.Run();
  DatagramQueue& queue =
      context.host_socket(context.receiver).datagram->receive_queue;
  PacketPtr packet = context.pair.host().pool().Allocate(0);
  TailDrop keep;

  EXPECT_TRUE(queue.Offer(packet, 1 << 20, keep, context.pair.now()));

  EXPECT_THAT(context.AfterStep(), HasSubstr("beyond SO_RCVBUF"));
}

TEST(PropertiesTest, SeesARequestForAFlowThatIsHeld) {
  Context context;
  PacketPtr packet = context.pair.host().pool().Allocate(0);
  packet->hdr.set(Type::kStream, Op::kRequest);
  packet->hdr.set_source(
      {kTestGuestCid, *context.guest_socket(context.client).port});
  packet->hdr.set_destination({kCidHost, Port(10)});

  context.pair.host_sockets().Deliver(std::move(packet), context.pair.now());

  EXPECT_THAT(std::string(context.properties.AfterStep().message()),
              HasSubstr("still held"));
}

}  // namespace
}  // namespace vsock
