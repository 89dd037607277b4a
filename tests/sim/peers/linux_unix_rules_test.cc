// Tries sim/peers/linux_unix_rules.h against Linux's arithmetic: a socket
// buffer is a slab that ends in 320 bytes of shared info, a 256-byte struct,
// and whole pages; setsockopt doubles what it is given.

#include "sim/peers/linux_unix_rules.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

constexpr uint32_t kDefault = 212992;  // net.core.wmem_default

LinuxUnixRules Rules(uint32_t max_dgram_qlen = 10) {
  Scenario::Unix knobs;
  knobs.set_max_dgram_qlen(max_dgram_qlen);
  return LinuxUnixRules(knobs);
}

UnixPiece PieceOf(uint32_t left, uint32_t send_buffer) {
  return Rules().StreamPiece({.send_buffer = send_buffer}, left);
}

// Datagrams that go before one must wait, with nobody reading.
uint32_t InFlight(const LinuxUnixRules& rules, uint32_t bytes) {
  UnixView view = {.send_buffer = kDefault};
  uint32_t sent = 0;
  while (rules.Admit(view, bytes) == UnixVerdict::kGo) {
    view.charged += rules.Datagram(bytes).charge;
    view.queued = ++sent;
  }
  return sent;
}

TEST(LinuxUnixRulesTest, LargestPieceIsOnePageOfHeadAnd32KiBOfPages) {
  const UnixPiece piece = PieceOf(2097152, kDefault);

  EXPECT_EQ(piece.bytes, (4096u - 320) + 32768);
  EXPECT_EQ(piece.charge, (4096u + 256) + 32768);
  EXPECT_EQ(piece.page_runs, 1u);
}

TEST(LinuxUnixRulesTest, PieceIsAtMostHalfTheBufferLess64) {
  const UnixPiece piece = PieceOf(2097152, 16384);

  EXPECT_EQ(piece.bytes, 16384u / 2 - 64);
  // No bytes in the head: a 512-byte slab; 8128 bytes in two pages.
  EXPECT_EQ(piece.charge, 512u + 256 + 8192);
}

TEST(LinuxUnixRulesTest, PagesBeginWhereOnePageOfHeadEnds) {
  EXPECT_EQ(PieceOf(3776, kDefault).page_runs, 0u);
  EXPECT_EQ(PieceOf(3776, kDefault).charge, 4096u + 256);
  EXPECT_EQ(PieceOf(4096, kDefault).page_runs, 1u);
  EXPECT_EQ(PieceOf(4096, kDefault).charge, 512u + 256 + 4096);
}

// 7 pages are runs of 4, 2 and 1.
TEST(LinuxUnixRulesTest, RunsOfPagesAreAsLongAsWhatIsLeftFills) {
  EXPECT_EQ(PieceOf(7 * 4096, kDefault).page_runs, 3u);
}

TEST(LinuxUnixRulesTest, TestComesBeforeTheCharge) {
  UnixView view = {.send_buffer = kDefault, .charged = kDefault - 1};
  EXPECT_EQ(Rules().StreamPiece(view, 100000).bytes, 36544u);

  view.charged = kDefault;
  EXPECT_EQ(Rules().StreamPiece(view, 1).bytes, 0u);
}

TEST(LinuxUnixRulesTest, WriterWakesAtAQuarter) {
  UnixView view = {.send_buffer = kDefault, .charged = kDefault / 4 + 1};
  EXPECT_FALSE(Rules().WakesWriter(view));

  view.charged = kDefault / 4;
  EXPECT_TRUE(Rules().WakesWriter(view));
}

TEST(LinuxUnixRulesTest, QueueOfElevenBindsBeforeTheChargeOf26Datagrams) {
  EXPECT_EQ(InFlight(Rules(), 4096), 10u + 1);
}

TEST(LinuxUnixRulesTest, ChargeBindsAt26DatagramsOnceTheQueueIsLongEnough) {
  EXPECT_EQ(Rules().Datagram(4096).charge, 8448u);
  EXPECT_EQ(InFlight(Rules(/*max_dgram_qlen=*/512), 4096), 26u);
}

TEST(LinuxUnixRulesTest, ChargeBindsBeforeTheQueueForLargeDatagrams) {
  // 57344 bytes: 11 pages, and 12288 bytes in a head of 16384.
  EXPECT_EQ(Rules().Datagram(57344).charge, 16384u + 256 + 11 * 4096);
  EXPECT_EQ(InFlight(Rules(), 57344), 4u);
}

TEST(LinuxUnixRulesTest, DatagramMustBe32BytesSmallerThanTheBuffer) {
  const UnixView view = {.send_buffer = kDefault};

  EXPECT_EQ(Rules().Admit(view, kDefault - 32), UnixVerdict::kGo);
  EXPECT_EQ(Rules().Admit(view, kDefault - 31), UnixVerdict::kTooBig);
}

TEST(LinuxUnixRulesTest, LargeDatagramHasSeventeenPagesBehindItsHead) {
  const UnixPiece piece = Rules().Datagram(262144);

  // 262144 - 69632 + 320 bytes of head take a slab of 262144.
  EXPECT_EQ(piece.charge, 262144u + 256 + 17 * 4096);
  // 17 pages are runs of 8, 8 and 1; the head is eight runs of 32 KiB.
  EXPECT_EQ(piece.page_runs, 3u + 8);
}

TEST(LinuxUnixRulesTest, SetsockoptCapsDoublesAndFloors) {
  const Scenario::Kernel kernel;
  const auto size = [&](uint32_t asked) {
    return Rules().SendBuffer(Scenario::Flow::STREAM, asked, kernel);
  };

  EXPECT_EQ(size(8192), 16384u);
  EXPECT_EQ(size(4194304), 2 * 212992u);  // wmem_max
  EXPECT_EQ(size(1), 4608u);
}

TEST(LinuxUnixRulesTest, DefaultIsWmemDefaultForStreamsToo) {
  Scenario::Kernel kernel;
  kernel.set_wmem_default_bytes(100000);

  EXPECT_EQ(Rules().SendBuffer(Scenario::Flow::STREAM, {}, kernel), 100000u);
}

}  // namespace
}  // namespace sim
