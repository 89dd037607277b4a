// What a datagram sender is charged, and that the charge always comes back.

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "sim/random.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

constexpr Port kPort{9};

VsockPair::Options WithProposal(const Proposal& proposal) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.transport.proposal = proposal;
  options.host.transport.proposal = proposal;
  return options;
}

// Sends messages of `len` bytes until the sender would block; how many.
int SendUntilBlocked(const DatagramEnd& sender, Address to, uint32_t len) {
  int sent = 0;
  for (;;) {
    const SendResult result = sender.SendTo(to, len);
    EXPECT_TRUE(result.status.ok());
    if (result.blocked != Blocked::kNo) {
      EXPECT_EQ(result.blocked, Blocked::kSendBuffer);
      EXPECT_EQ(result.accepted, 0u);
      return sent;
    }
    ++sent;
  }
}

bool WasWoken(const DatagramEnd& end) {
  bool woken = false;
  end.sockets->TakeWakes(
      [&](const Wake& wake) { woken |= wake.socket == end.id; });
  return woken;
}

struct Row {
  const Proposal* proposal;
  uint32_t payload;
  int admitted;  // into the default buffer, with nothing leaving
};

class AdmissionTest : public ::testing::TestWithParam<Row> {};

INSTANTIATE_TEST_SUITE_P(
    DefaultBuffer, AdmissionTest,
    ::testing::Values(Row{&kLinux2023, 1, 278}, Row{&kLinux2023, 3732, 49},
                      Row{&kLinux2023, 4096, 26}, Row{&kLinux2023, 65536, 2},
                      Row{&kLinux2026, 4096, 52}, Row{&kLinux2026, 65536, 4}));

TEST_P(AdmissionTest, SenderBlocksWhereTheDraftSaysSoOnBothSides) {
  for (const Side side : {Side::kGuest, Side::kHost}) {
    VsockPair pair(WithProposal(*GetParam().proposal));
    const DatagramEnd sender = OpenDatagram(pair, side);
    const Address to = pair.address(Other(side), kPort);

    EXPECT_EQ(SendUntilBlocked(sender, to, GetParam().payload),
              GetParam().admitted);
  }
}

// The sender is on the side that is the parameter.
class ChargeTest : public ::testing::TestWithParam<Side> {
 protected:
  void PauseEverything() {
    for (const Worker worker : kAllWorkers) pair_.Pause(worker);
  }
  void ResumeEverything() {
    for (const Worker worker : kAllWorkers) pair_.Resume(worker);
  }

  VsockPair pair_;
  DatagramEnd sender_ = OpenDatagram(pair_, GetParam());
  Address to_ = pair_.address(Other(GetParam()), kPort);
};

INSTANTIATE_TEST_SUITE_P(BothSides, ChargeTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(ChargeTest, OneMessageMayOvershootTheLimit) {
  ASSERT_TRUE(sender_.sockets->SetSendBuffer(sender_.id, 0).ok());
  EXPECT_EQ(sender_.part().send_buffer.limit(), 4608u);

  EXPECT_EQ(SendUntilBlocked(sender_, to_, 65536), 1);
  EXPECT_EQ(sender_.part().send_buffer.charged(), 131328u);
}

TEST_P(ChargeTest, ComesBackWhenTheLayerBelowIsDoneThoughNobodyListens) {
  SendUntilBlocked(sender_, to_, 4096);
  pair_.Run();

  EXPECT_EQ(sender_.part().send_buffer.charged(), 0u);
}

TEST_P(ChargeTest, SleeperWakesOnceHalfIsFreeAndNotBefore) {
  SendUntilBlocked(sender_, to_, 4096);
  ASSERT_FALSE(sender_.sockets->WaitFor(sender_.id, kWritable));

  int wakes = 0;
  pair_.RunWatched([&] {
    wakes += WasWoken(sender_);
    const uint64_t charged = sender_.part().send_buffer.charged();
    EXPECT_EQ(wakes, charged <= 212992 / 2 ? 1 : 0);
  });

  EXPECT_EQ(wakes, 1);
}

TEST_P(ChargeTest, LargerBufferWakesASleeper) {
  SendUntilBlocked(sender_, to_, 4096);
  ASSERT_FALSE(sender_.sockets->WaitFor(sender_.id, kWritable));

  ASSERT_TRUE(sender_.sockets->SetSendBuffer(sender_.id, 212992).ok());

  EXPECT_FALSE(WasWoken(sender_));  // 26 of 8448 are more than half of 425984
  ASSERT_TRUE(sender_.sockets->SetSendBuffer(sender_.id, 4000000).ok());
  pair_.Run();
  EXPECT_TRUE(WasWoken(sender_));
}

TEST_P(ChargeTest, ReadinessIsForWhoeverAsksNotOnlyFromHalfOn) {
  SendUntilBlocked(sender_, to_, 4096);
  EXPECT_FALSE(sender_.sockets->IsReady(sender_.id, kWritable));
  pair_.Run();

  EXPECT_TRUE(sender_.sockets->WaitFor(sender_.id, kWritable));
}

TEST_P(ChargeTest, ClosedSocketLivesUntilItsChargeIsBack) {
  PauseEverything();
  sender_.MustSendTo(to_, 100);
  pair_.Run();
  ASSERT_TRUE(sender_.sockets->Close(sender_.id, pair_.now()).ok());
  ASSERT_NE(sender_.sockets->Find(sender_.id), nullptr);

  ResumeEverything();
  pair_.Run();

  EXPECT_EQ(sender_.sockets->Find(sender_.id), nullptr);
}

TEST_P(ChargeTest, CloseBetweenTheHalvesOfASendGivesTheChargeBack) {
  Transport& sockets = *sender_.sockets;
  ASSERT_EQ(sockets.BeginSend(sender_.id, {.len = 100, .to = to_}).accepted,
            100u);
  ASSERT_TRUE(sockets.Close(sender_.id, pair_.now()).ok());
  sockets.EndSend(sender_.id);
  pair_.Run();

  EXPECT_EQ(sockets.Find(sender_.id), nullptr);
  EXPECT_EQ(LostFor(pair_, DropReason::kSocketClosed).bytes, 100u);
}

// Under the draft of 2026 an empty message costs its sender nothing: only
// memory bounds a flood of them below the socket, and the receiver's own
// charge (by memory, in both drafts) bounds it above.
TEST(EmptyMessageFloodTest, NeverBlocksUnderPayloadChargingAndWaitsInTheList) {
  constexpr uint32_t kFlood = 100000;
  VsockPair pair(WithProposal(kLinux2026));
  const DatagramEnd receiver = OpenDatagram(pair, Side::kHost, kPort);
  const DatagramEnd sender = OpenDatagram(pair, Side::kGuest);
  pair.Pause(Worker::kDevice);
  for (uint32_t i = 0; i < kFlood; ++i) {
    sender.MustSendTo(receiver.address(), 0);
    if (i % 1000 == 0) pair.Run();
  }

  EXPECT_EQ(sender.part().send_buffer.charged(), 0u);
  EXPECT_EQ(pair.guest().driver().tx_in_flight(), 128u);
  EXPECT_EQ(pair.guest().send_list().size(), kFlood - 128);
  pair.Resume(Worker::kDevice);
  pair.Run();
  EXPECT_EQ(receiver.part().receive_queue.size(), 278u);  // of 768 bytes each
  EXPECT_EQ(LostFor(pair, DropReason::kReceiveBufferFull).packets,
            kFlood - 278);
}

TEST(EmptyMessageFloodTest, BlocksUnderTruesizeCharging) {
  VsockPair pair(WithProposal(kLinux2023));
  const DatagramEnd sender = OpenDatagram(pair, Side::kGuest);

  EXPECT_EQ(SendUntilBlocked(sender, {kCidHost, kPort}, 0), 278);
}

// A buffer for eight datagrams, 100,000 sends, and receivers that read, do not
// read, or come and go; all of it drawn from one seed.
struct StormParam {
  Side side;
  const Proposal* proposal;
};

class ChargeStormTest : public ::testing::TestWithParam<StormParam> {
 protected:
  static constexpr int kSends = 100000;
  static constexpr uint32_t kPayload = 4096;

  void MakeSender() {
    sender_ = OpenDatagram(pair_, GetParam().side);
    const uint32_t charge =
        ChargeFor(GetParam().proposal->send_charge, kPayload);
    ASSERT_TRUE(
        sender_.sockets->SetSendBuffer(sender_.id, 8 * charge / 2).ok());
  }
  void MakeReceiver() {
    receiver_ = OpenDatagram(pair_, Other(GetParam().side), kPort);
  }
  // One of: deliver, read, replace the receiver, replace the sender.
  void DisturbAtRandom() {
    const int64_t what = random_.Uniform(0, 99);
    if (what < 10) pair_.Run();
    if (what >= 10 && what < 30 && receiver_.has_value()) {
      received_ += receiver_->Take().has_value();
    }
    if (what == 98) ReplaceReceiver();
    if (what == 99) ReplaceSender();
  }
  void ReplaceReceiver() {
    if (receiver_.has_value()) {
      ASSERT_TRUE(receiver_->sockets->Close(receiver_->id, pair_.now()).ok());
      receiver_.reset();
    } else {
      MakeReceiver();
    }
  }
  void ReplaceSender() {
    ASSERT_TRUE(sender_.sockets->Close(sender_.id, pair_.now()).ok());
    MakeSender();
  }

  sim::Random random_{7};
  VsockPair pair_{WithProposal(*GetParam().proposal)};
  DatagramEnd sender_;
  std::optional<DatagramEnd> receiver_;
  int received_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    BothSidesBothDrafts, ChargeStormTest,
    ::testing::Values(StormParam{Side::kGuest, &kLinux2023},
                      StormParam{Side::kHost, &kLinux2023},
                      StormParam{Side::kGuest, &kLinux2026},
                      StormParam{Side::kHost, &kLinux2026}));

TEST_P(ChargeStormTest, EveryChargeComesBackAndEveryDatagramIsAccountedFor) {
  MakeSender();
  MakeReceiver();
  const Address to = pair_.address(Other(GetParam().side), kPort);
  int sent = 0;
  while (sent < kSends) {
    const SendResult result = sender_.SendTo(to, kPayload);
    ASSERT_TRUE(result.status.ok());
    sent += result.accepted > 0;
    const uint64_t charged = sender_.part().send_buffer.charged();
    ASSERT_LE(charged, 9u * 8448);
    if (result.blocked != Blocked::kNo) pair_.Run();
    DisturbAtRandom();
  }
  pair_.Run();

  EXPECT_EQ(sender_.part().send_buffer.charged(), 0u);
  EXPECT_EQ(sender_.sockets->table().size(), 1u);
  const int queued =
      receiver_ ? static_cast<int>(receiver_->part().receive_queue.size()) : 0;
  EXPECT_EQ(received_ + queued + static_cast<int>(LostInAll(pair_).packets),
            kSends);
  EXPECT_GT(received_, 1000);
  EXPECT_GT(LostFor(pair_, DropReason::kReceiveBufferFull).packets, 1000u);
  EXPECT_GT(LostFor(pair_, DropReason::kNoSocket).packets, 1000u);
}

}  // namespace
}  // namespace vsock
