// Tries sim/peers/bsd_unix_rules.h against the rules of xnu's and FreeBSD's
// uipc_usrreq.c.

#include "sim/peers/bsd_unix_rules.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using Flow = Scenario::Flow;

constexpr uint32_t kPlenty = 2097152;

BsdUnixRules Rules(Scenario::Unix::BsdWindow window = Scenario::Unix::SENDER) {
  Scenario::Unix knobs;
  knobs.set_bsd_window(window);
  return BsdUnixRules(knobs);
}

TEST(BsdUnixRulesTest, DefaultsAreThoseOfMacos) {
  const Scenario::Kernel kernel;

  EXPECT_EQ(Rules().SendBuffer(Flow::STREAM, {}, kernel), 8192u);
  EXPECT_EQ(Rules().ReceiveBuffer(Flow::STREAM, {}, kernel), 8192u);
  EXPECT_EQ(Rules().SendBuffer(Flow::DGRAM, {}, kernel), 2048u);
  EXPECT_EQ(Rules().ReceiveBuffer(Flow::DGRAM, {}, kernel), 4096u);
}

TEST(BsdUnixRulesTest, SetsockoptTakesTheValueAsItIs) {
  EXPECT_EQ(Rules().SendBuffer(Flow::STREAM, 1048576, {}), 1048576u);
}

TEST(BsdUnixRulesTest, WindowIsTheSendersBufferWhateverTheReceiversIs) {
  for (const uint32_t receive_buffer : {8192u, 4194304u}) {
    EXPECT_EQ(Rules()
                  .StreamPiece(
                      {.send_buffer = 8192, .receive_buffer = receive_buffer},
                      kPlenty)
                  .bytes,
              8192u);
  }
}

TEST(BsdUnixRulesTest, WindowIsTheReceiversBufferOnFreebsd15) {
  EXPECT_EQ(
      Rules(Scenario::Unix::RECEIVER)
          .StreamPiece({.send_buffer = 8192, .receive_buffer = 32768}, kPlenty)
          .bytes,
      32768u);
}

TEST(BsdUnixRulesTest, WhatIsUnreadIsTakenOffTheWindow) {
  const UnixView view = {.send_buffer = 8192, .charged = 5000};

  EXPECT_EQ(Rules().StreamPiece(view, kPlenty).bytes, 8192u - 5000);
}

TEST(BsdUnixRulesTest, WriterWaitsFor2048BytesOrRoomForItsLast) {
  const UnixView view = {.send_buffer = 8192, .charged = 8192 - 2047};

  EXPECT_EQ(Rules().StreamPiece(view, kPlenty).bytes, 0u);
  EXPECT_EQ(Rules().StreamPiece(view, 2047).bytes, 2047u);
}

TEST(BsdUnixRulesTest, AtMost64KiBAreHandedOverAtOnce) {
  EXPECT_EQ(Rules().StreamPiece({.send_buffer = 1048576}, kPlenty).bytes,
            65536u);
}

TEST(BsdUnixRulesTest, SendBufferBoundsADatagram) {
  const UnixView view = {.send_buffer = 2048, .receive_buffer = 4096};

  EXPECT_EQ(Rules().Admit(view, 2048), UnixVerdict::kGo);
  EXPECT_EQ(Rules().Admit(view, 2049), UnixVerdict::kTooBig);
}

TEST(BsdUnixRulesTest, SenderIsNotChargedForDatagrams) {
  const UnixView view = {
      .send_buffer = 2048, .charged = 1 << 30, .receive_buffer = 4096};

  EXPECT_EQ(Rules().Admit(view, 2048), UnixVerdict::kGo);
}

// 512 bytes and 16 of address: seven are 3696 bytes of 4096, eight are 4224.
TEST(BsdUnixRulesTest, FullReceiveBufferIsRefused) {
  UnixView view = {.send_buffer = 2048, .receive_buffer = 4096};

  view.queued_charge = 6 * 528;
  EXPECT_EQ(Rules().Admit(view, 512), UnixVerdict::kGo);
  view.queued_charge = 7 * 528;
  EXPECT_EQ(Rules().Admit(view, 512), UnixVerdict::kFull);
}

}  // namespace
}  // namespace sim
