// Tries sim/peers/unix_sockets.h call by call: who must wait, and who is woken.

#include "sim/peers/unix_sockets.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "sim/machines.h"
#include "sim/peers/bsd_unix_rules.h"
#include "sim/peers/linux_unix_rules.h"
#include "sim/scenario_loader.h"
#include "tests/sim/scenario_file.h"
#include "vsock/connection.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;

constexpr char kScenario[] =
    "name: \"t\" question: \"?\"\n"
    "flow { name: \"f\" type: STREAM transport: UNIX from { cid: 2 }\n"
    "       to { cid: 2 port: 10 } }\n";

class Sleeper final : public Task {
 public:
  std::optional<Nanos> Run(Instant) override { return std::nullopt; }
  bool woken() const { return use().wakeups > 0; }
};

// Two connected streams, or two datagram sockets, on the host.
class UnixPair {
 public:
  UnixPair(Scenario::Flow::Transport transport, Scenario::Flow::Type type)
      : is_datagram_(type == Scenario::Flow::DGRAM),
        loaded_(*LoadText(kScenario, {})),
        machines_(loaded_.scenario, loaded_.platform, /*seed=*/1),
        sockets_(machines_, RulesOf(transport)),
        chance_(machines_.ChanceOf("test")) {
    Scenario::Flow flow = loaded_.scenario.flow(0);
    flow.set_type(type);
    server_ = {Side::kHost, *sockets_.Open(Side::kHost, flow, 10, false)};
    client_ = {Side::kHost, *sockets_.Open(Side::kHost, flow, 0, true)};
    if (is_datagram_) return;
    EXPECT_TRUE(sockets_.Listen(server_, 1).ok());
    EXPECT_TRUE(sockets_.Connect(client_, kServer, Instant(0)).ok());
    server_.id = *sockets_.Accept(server_);
  }

  // One piece of a message of `bytes`, handed over.
  vsock::SendResult Send(uint32_t bytes) {
    vsock::Message message = {.len = bytes};
    if (is_datagram_) message.to = kServer;
    const vsock::SendResult result = sockets_.BeginSend(client_, message);
    if (result.accepted > 0) sockets_.EndSend(client_);
    return result;
  }
  // Sends until that is refused or would block; how many went.
  uint32_t Fill(uint32_t bytes) {
    uint32_t sent = 0;
    while (Send(bytes).accepted > 0) ++sent;
    return sent;
  }
  vsock::ReceiveResult Read(uint32_t max) {
    const vsock::ReceiveResult result = sockets_.Receive(server_, nullptr, max);
    sockets_.FinishCall(server_, {}, chance_);
    return result;
  }
  // The same, where only the effect matters.
  void Put(uint32_t bytes) { EXPECT_GT(Send(bytes).accepted, 0u); }
  void Skip(uint32_t max) { EXPECT_GT(Read(max).bytes, 0u); }

  bool Sleep(SocketRef socket, uint32_t events, Sleeper& sleeper) {
    return !sockets_.Sleep(socket, events, sleeper, chance_);
  }
  void FinishSend() { sockets_.FinishCall(client_, {}, chance_); }

  UnixSockets& sockets() { return sockets_; }
  SocketRef client() const { return client_; }
  SocketRef server() const { return server_; }

 private:
  static constexpr vsock::Address kServer = {vsock::kCidHost, vsock::Port(10)};

  std::unique_ptr<UnixRules> RulesOf(Scenario::Flow::Transport transport) {
    if (transport == Scenario::Flow::UNIX) {
      return std::make_unique<LinuxUnixRules>(loaded_.scenario.unix());
    }
    return std::make_unique<BsdUnixRules>(loaded_.scenario.unix());
  }

  const bool is_datagram_;
  LoadedScenario loaded_;
  Machines machines_;
  UnixSockets sockets_;
  Chance chance_;
  SocketRef client_;
  SocketRef server_;
};

constexpr auto kLinux = Scenario::Flow::UNIX;
constexpr auto kBsd = Scenario::Flow::UNIX_BSD;
constexpr auto kStream = Scenario::Flow::STREAM;
constexpr auto kDatagram = Scenario::Flow::DGRAM;

// 37120 bytes are charged for each piece of 36544; the test comes before the
// charge, so the sixth goes while 185600 of 212992 are charged.
TEST(UnixSocketsTest, SixLargestPiecesFillALinuxStream) {
  UnixPair pair(kLinux, kStream);

  EXPECT_EQ(pair.Fill(2097152), 6u);
  EXPECT_EQ(pair.Send(1).blocked, vsock::Blocked::kSendBuffer);
}

// After four of six are read 74240 are charged, above a quarter of 212992;
// after five 37120.
TEST(UnixSocketsTest, LinuxWriterIsWokenAtAQuarterOfItsBuffer) {
  UnixPair pair(kLinux, kStream);
  Sleeper writer;
  pair.Fill(2097152);
  ASSERT_TRUE(pair.Sleep(pair.client(), vsock::kWritable, writer));

  for (int i = 0; i < 4; ++i) pair.Skip(65536);
  EXPECT_FALSE(writer.woken());
  pair.Skip(65536);
  EXPECT_TRUE(writer.woken());
}

TEST(UnixSocketsTest, LinuxReadTakesOnePieceAndTheCallGoesOn) {
  UnixPair pair(kLinux, kStream);
  pair.Fill(2097152);

  const ReadPlan plan = pair.sockets().PlanRead(pair.server(), 65536);

  EXPECT_EQ(plan.bytes, 36544u);
  EXPECT_EQ(plan.work.packets, 1u);
  EXPECT_TRUE(plan.goes_on);
}

TEST(UnixSocketsTest, LinuxChargeReturnsWithTheLastByteOfAPiece) {
  UnixPair pair(kLinux, kStream);
  pair.Fill(2097152);

  pair.Skip(36543);
  EXPECT_EQ(pair.Send(1).accepted, 0u);
  pair.Skip(1);
  EXPECT_EQ(pair.Send(1).accepted, 1u);
}

TEST(UnixSocketsTest, ReaderIsWokenWhenAPieceIsThereAndNotBefore) {
  UnixPair pair(kLinux, kStream);
  Sleeper reader;
  ASSERT_TRUE(pair.Sleep(pair.server(), vsock::kReadable, reader));

  ASSERT_EQ(pair.sockets().BeginSend(pair.client(), {.len = 10}).accepted, 10u);
  pair.FinishSend();
  EXPECT_FALSE(reader.woken());
  pair.sockets().EndSend(pair.client());
  pair.FinishSend();
  EXPECT_TRUE(reader.woken());
}

TEST(UnixSocketsTest, MacosStreamHolds8192BytesUnread) {
  UnixPair pair(kBsd, kStream);

  EXPECT_EQ(pair.Send(2097152).accepted, 8192u);
  EXPECT_EQ(pair.Send(2097152).blocked, vsock::Blocked::kSendBuffer);
}

TEST(UnixSocketsTest, BsdReadTakesWhatManyWritesLeft) {
  UnixPair pair(kBsd, kStream);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(pair.Send(1000).accepted, 1000u);

  const ReadPlan plan = pair.sockets().PlanRead(pair.server(), 65536);

  EXPECT_EQ(plan.bytes, 4000u);
  EXPECT_FALSE(plan.goes_on);
  EXPECT_EQ(pair.Read(65536).bytes, 4000u);
}

TEST(UnixSocketsTest, BsdWriterIsWokenByAnyReadAndWaitsFor2048Bytes) {
  UnixPair pair(kBsd, kStream);
  Sleeper writer;
  pair.Put(2097152);
  ASSERT_TRUE(pair.Sleep(pair.client(), vsock::kWritable, writer));

  pair.Skip(2047);
  EXPECT_TRUE(writer.woken());
  EXPECT_EQ(pair.Send(2097152).blocked, vsock::Blocked::kSendBuffer);
  pair.Skip(1);
  EXPECT_EQ(pair.Send(2097152).accepted, 2048u);
}

TEST(UnixSocketsTest, ElevenDatagramsWaitUnreadAndEachReadLetsOneIn) {
  UnixPair pair(kLinux, kDatagram);
  Sleeper sender;

  EXPECT_EQ(pair.Fill(4096), 11u);
  ASSERT_TRUE(pair.Sleep(pair.client(), vsock::kWritable, sender));
  pair.Skip(4096);
  EXPECT_TRUE(sender.woken());
  EXPECT_EQ(pair.Fill(4096), 1u);
}

TEST(UnixSocketsTest, TooLongDatagramIsEmsgsize) {
  UnixPair pair(kLinux, kDatagram);

  EXPECT_EQ(pair.Send(212992 - 31).status.code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(UnixSocketsTest, BsdDatagramBeyondTheReadersBufferIsEnobufs) {
  UnixPair pair(kBsd, kDatagram);

  EXPECT_EQ(pair.Fill(512), 7u);  // of 528 bytes in 4096
  EXPECT_EQ(pair.Send(512).status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(UnixSocketsTest, DatagramIsCutAtTheCallersBuffer) {
  UnixPair pair(kLinux, kDatagram);
  pair.Put(1000);

  const vsock::ReceiveResult result = pair.Read(600);

  EXPECT_EQ(result.bytes, 600u);
  EXPECT_EQ(result.message_bytes, 1000u);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(pair.sockets().IsReady(pair.server(), vsock::kReadable));
}

TEST(UnixSocketsTest, CloseReturnsChargesAndEndsTheSleepOfTheWriter) {
  UnixPair pair(kLinux, kStream);
  Sleeper writer;
  pair.Fill(2097152);
  ASSERT_TRUE(pair.Sleep(pair.client(), vsock::kWritable, writer));

  ASSERT_TRUE(pair.sockets().Close(pair.server(), Instant(0)).ok());
  pair.FinishSend();

  EXPECT_TRUE(writer.woken());
  EXPECT_EQ(pair.Send(1).status.code(),
            absl::StatusCode::kFailedPrecondition);  // EPIPE
  EXPECT_TRUE(pair.sockets().Check().ok()) << pair.sockets().Check();
}

TEST(UnixSocketsTest, WhatWasWrittenBeforeTheCloseIsReadAfterIt) {
  UnixPair pair(kLinux, kStream);
  pair.Put(1000);
  ASSERT_TRUE(pair.sockets().Close(pair.client(), Instant(0)).ok());

  EXPECT_EQ(pair.Read(65536).bytes, 1000u);
  EXPECT_TRUE(pair.Read(65536).end_of_stream);
}

TEST(UnixSocketsTest, NobodyThereIsEconnrefused) {
  UnixPair pair(kLinux, kDatagram);
  ASSERT_TRUE(pair.sockets().Close(pair.server(), Instant(0)).ok());

  EXPECT_EQ(pair.Send(1).status.code(), absl::StatusCode::kUnavailable);
}

TEST(UnixSocketsTest, BooksBalanceInTheMiddleOfACall) {
  UnixPair pair(kLinux, kStream);
  pair.Fill(2097152);
  pair.Skip(50000);
  pair.Skip(50000);
  ASSERT_EQ(pair.sockets().BeginSend(pair.client(), {.len = 9}).accepted, 9u);

  EXPECT_TRUE(pair.sockets().Check().ok()) << pair.sockets().Check();
}

}  // namespace
}  // namespace sim
