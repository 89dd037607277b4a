// Tries vsock/loopback.h: sockets of one machine that talk to each other, as
// Linux's vsock_loopback has it.

#include "vsock/loopback.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "vsock/hdr.h"
#include "vsock/loopback_properties.h"

namespace vsock {
namespace {

using ::testing::ElementsAre;

constexpr Address kListener{kCidLocal, Port(10)};

struct LoopbackContext {
  explicit LoopbackContext(bool closing_resets_again = false) {
    Loopback::Options options;
    options.transport.features = Features(Features::kStream | Features::kDgram);
    options.transport.closing_resets_again = closing_resets_again;
    loopback = *Loopback::Create(options);
  }
  ~LoopbackContext() { sockets().Abort(); }

  Transport& sockets() { return loopback->transport(); }

  // The worker's turn; the ops of what it took.
  std::vector<Op> Run() {
    std::vector<Op> ops;
    Work work;
    while (const Packet* packet = loopback->Take(work)) {
      ops.push_back(packet->hdr.operation());
      work += loopback->Deliver(Instant(0));
    }
    EXPECT_TRUE(CheckLoopback(*loopback).ok()) << CheckLoopback(*loopback);
    return ops;
  }

  SocketId Listen() {
    const SocketId listener = *sockets().Open(Type::kStream);
    EXPECT_TRUE(sockets().Bind(listener, kListener.port).ok());
    EXPECT_TRUE(sockets().Listen(listener, 4).ok());
    return listener;
  }
  SocketId BeginConnect() {
    const SocketId client = *sockets().Open(Type::kStream);
    EXPECT_TRUE(sockets().Connect(client, kListener, Instant(0)).ok());
    return client;
  }
  std::pair<SocketId, SocketId> Connected() {
    const SocketId listener = Listen();
    const SocketId client = BeginConnect();
    Run();
    return {client, *sockets().Accept(listener)};
  }
  void Close(SocketId socket) {
    EXPECT_TRUE(sockets().Close(socket, Instant(0)).ok());
  }

  std::unique_ptr<Loopback> loopback;
};

TEST(LoopbackTest, BothEndsOfAConnectionAreSocketsOfTheSameTable) {
  LoopbackContext here;

  const auto [client, server] = here.Connected();

  EXPECT_TRUE(here.sockets().ConnectStatus(client).ok());
  EXPECT_EQ(*here.sockets().Find(client)->peer, kListener);
  EXPECT_EQ(here.sockets().Find(server)->peer->port,
            *here.sockets().Find(client)->port);
  EXPECT_EQ(here.sockets().Find(server)->peer->cid, kCidLocal);
}

TEST(LoopbackTest, StreamIsReadWhereItWasNotWritten) {
  LoopbackContext here;
  const auto [client, server] = here.Connected();

  EXPECT_EQ(here.sockets().Send(client, {.len = 1000}).accepted, 1000u);
  here.Run();

  EXPECT_EQ(here.sockets().Readable(client, 4096), 0u);
  EXPECT_EQ(here.sockets().Receive(server, nullptr, 4096).bytes, 1000u);
  EXPECT_THAT(here.Run(), ElementsAre(Op::kCreditUpdate));
}

TEST(LoopbackTest, UnreadStreamHoldsItsWriterAtTheBufferSize) {
  LoopbackContext here;
  const auto [client, server] = here.Connected();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(here.sockets().Send(client, {.len = 65536}).accepted, 65536u);
  }
  here.Run();

  EXPECT_EQ(here.sockets().Send(client, {.len = 1}).blocked, Blocked::kCredit);
  EXPECT_EQ(here.sockets().Receive(server, nullptr, 262144).bytes, 262144u);
  here.Run();
  EXPECT_EQ(here.sockets().Send(client, {.len = 1}).accepted, 1u);
}

TEST(LoopbackTest, ConnectToAPortWithoutListenerIsReset) {
  LoopbackContext here;
  const SocketId client = here.BeginConnect();

  EXPECT_THAT(here.Run(), ElementsAre(Op::kRequest, Op::kRst));
  EXPECT_EQ(ErrnoOf(here.sockets().ConnectStatus(client)), "ECONNRESET");
}

TEST(LoopbackTest, DatagramChargeReturnsWhenTheWorkerTakesIt) {
  LoopbackContext here;
  const SocketId receiver = *here.sockets().Open(Type::kDgram);
  ASSERT_TRUE(here.sockets().Bind(receiver, Port(20)).ok());
  const SocketId sender = *here.sockets().Open(Type::kDgram);
  const Address to = {kCidLocal, Port(20)};
  ASSERT_EQ(here.sockets().Send(sender, {.len = 4096, .to = to}).accepted,
            4096u);
  const SendBuffer& buffer = here.sockets().Find(sender)->datagram->send_buffer;
  EXPECT_EQ(buffer.charged(), 8448u);  // the truesize of 44 + 4096

  Work work;
  ASSERT_NE(here.loopback->Take(work), nullptr);

  EXPECT_EQ(buffer.charged(), 0u);
  (void)here.loopback->Deliver(Instant(0));
  EXPECT_EQ(here.sockets().Receive(receiver, nullptr, 65536).bytes, 4096u);
}

// One list for every socket: an answer waits behind what was sent before.
TEST(LoopbackTest, RepliesWaitBehindWhatWasSentBefore) {
  LoopbackContext here;
  const auto [client, server] = here.Connected();
  here.BeginConnect();
  EXPECT_EQ(here.sockets().Send(server, {.len = 1}).accepted, 1u);
  EXPECT_EQ(here.sockets().Send(client, {.len = 1}).accepted, 1u);

  EXPECT_THAT(here.Run(),
              ElementsAre(Op::kRequest, Op::kRw, Op::kRw, Op::kResponse));
}

TEST(LoopbackTest, NobodyElseIsReached) {
  LoopbackContext here;
  const SocketId client = *here.sockets().Open(Type::kStream);

  EXPECT_EQ(
      ErrnoOf(here.sockets().Connect(client, {kCidHost, Port(10)}, Instant(0))),
      "ENODEV");
}

TEST(LoopbackTest, LateCloseSaysNothing) {
  LoopbackContext here;
  const auto [client, server] = here.Connected();
  here.Close(client);
  EXPECT_THAT(here.Run(), ElementsAre(Op::kShutdown, Op::kRst));

  here.Close(server);

  EXPECT_THAT(here.Run(), ElementsAre());
}

// Linux 6.1, seen in captures: the socket that was ended by both hints says so
// once more when its program closes it.
TEST(LoopbackTest, LateCloseResetsAgainWhereTheKernelDoesSo) {
  LoopbackContext here(/*closing_resets_again=*/true);
  const auto [client, server] = here.Connected();
  here.Close(client);
  EXPECT_THAT(here.Run(), ElementsAre(Op::kShutdown, Op::kRst));

  here.Close(server);

  EXPECT_THAT(here.Run(), ElementsAre(Op::kRst));
}

TEST(LoopbackTest, RefusedConnectIsClosedWithoutAWordInEveryKernel) {
  LoopbackContext here(/*closing_resets_again=*/true);
  const SocketId client = here.BeginConnect();
  EXPECT_THAT(here.Run(), ElementsAre(Op::kRequest, Op::kRst));

  here.Close(client);

  EXPECT_THAT(here.Run(), ElementsAre());
}

}  // namespace
}  // namespace vsock
