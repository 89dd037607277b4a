// What a real Linux guest put on the wire, and what this model puts there for
// the same calls: operation, length, flags and credit of every packet.
//
// The tables were taken from captures of Linux 6.1 (virtio over loopback, so
// both ends are Linux): a refused connection, twenty rounds of an echo, and a
// half close. One difference is known and left out of the tables: Linux sends
// an RST once more when a socket is closed that an RST has ended already.

#include <cstdint>
#include <ostream>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/raw_guest.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "vsock/hdr.h"

namespace vsock {
namespace {

using ::testing::ElementsAreArray;

struct Row {
  bool from_client;
  Op op;
  uint32_t len;
  uint32_t flags;
  uint32_t buf_alloc;
  uint32_t fwd_cnt;

  friend bool operator==(const Row&, const Row&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << (row.from_client ? "client " : "server ") << row.op << " len "
               << row.len << " flags " << row.flags << " buf_alloc "
               << row.buf_alloc << " fwd_cnt " << row.fwd_cnt;
  }
};

// The client is on the side that is the parameter.
class CaptureTest : public ::testing::TestWithParam<Side> {
 protected:
  CaptureTest() { pair_.RecordWire(); }

  std::vector<Row> Wire() {
    std::vector<Row> rows;
    for (const WirePacket& packet : pair_.wire().packets()) {
      const VsockHdr& hdr = packet.hdr;
      rows.push_back({packet.from_guest == (GetParam() == Side::kGuest),
                      hdr.operation(), hdr.len, hdr.flags, hdr.buf_alloc,
                      hdr.fwd_cnt});
    }
    return rows;
  }
  // Hears nothing until Hear: what is sent to it waits in its ring.
  void Deafen(Side side) {
    pair_.Pause(side == Side::kGuest ? Worker::kRx : Worker::kDevice);
  }
  void Hear(Side side) {
    pair_.Resume(side == Side::kGuest ? Worker::kRx : Worker::kDevice);
    pair_.Run();
  }

  VsockPair pair_;
};

INSTANTIATE_TEST_SUITE_P(BothSides, CaptureTest,
                         ::testing::Values(Side::kGuest, Side::kHost));

TEST_P(CaptureTest, RefusedConnection) {
  BeginConnect(pair_, GetParam(), Port(7777));
  pair_.Run();

  EXPECT_THAT(Wire(),
              ElementsAreArray({Row{true, Op::kRequest, 0, 0, 262144, 0},
                                Row{false, Op::kRst, 0, 0, 0, 0}}));
}

TEST(CaptureSeqpacketTest, RefusedConnectionOfATypeThatIsNotThere) {
  RawGuest guest;
  guest.OfferRx({RawGuest::Piece{4140, true}});
  guest.OfferTx(RawGuest::Header(Type::kSeqpacket, Op::kRequest, Port(7778)));
  guest.Serve();

  const VsockHdr answer = guest.LastRxHeader();
  EXPECT_TRUE(answer.is(Type::kSeqpacket));
  EXPECT_TRUE(answer.is(Op::kRst));
  EXPECT_EQ(answer.source(), (Address{kCidHost, Port(7778)}));
  EXPECT_EQ(answer.len, 0u);
  EXPECT_EQ(answer.flags, 0u);
  EXPECT_EQ(answer.buf_alloc, 0u);
  EXPECT_EQ(answer.fwd_cnt, 0u);
}

TEST_P(CaptureTest, HalfCloseAnswerAndClose) {
  const Ends ends = Connect(pair_, GetParam());
  ends.client.MustSend(1000);
  pair_.Run();
  ends.server.ReadLength(4096);
  pair_.Run();
  ASSERT_TRUE(ends.client.ShutDown(kShutdownSend).ok());
  pair_.Run();
  ASSERT_TRUE(ends.server.AtEnd());
  ends.server.MustSend(500);
  pair_.Run();
  ends.client.ReadLength(4096);
  pair_.Run();
  ASSERT_TRUE(ends.client.ShutDown(kShutdownReceive).ok());
  pair_.Run();
  Close(pair_, ends.client);
  Close(pair_, ends.server);
  pair_.Run();

  EXPECT_THAT(Wire(), ElementsAreArray(
                          {Row{true, Op::kRequest, 0, 0, 262144, 0},
                           Row{false, Op::kResponse, 0, 0, 262144, 0},
                           Row{true, Op::kRw, 1000, 0, 262144, 0},
                           Row{false, Op::kCreditUpdate, 0, 0, 262144, 1000},
                           Row{true, Op::kShutdown, 0, 2, 262144, 0},
                           Row{false, Op::kRw, 500, 0, 262144, 1000},
                           Row{true, Op::kCreditUpdate, 0, 0, 262144, 500},
                           Row{true, Op::kShutdown, 0, 1, 262144, 500},
                           Row{false, Op::kRst, 0, 0, 262144, 1000}}));
}

// 100, 137, ... 803 bytes: 37 more each round.
constexpr uint32_t kEchoRounds = 20;
constexpr uint32_t EchoBytes(uint32_t round) { return 100 + 37 * round; }

std::vector<Row> EchoCapture() {
  std::vector<Row> rows = {{true, Op::kRequest, 0, 0, 262144, 0},
                           {false, Op::kResponse, 0, 0, 262144, 0}};
  uint32_t total = 0;
  for (uint32_t round = 0; round < kEchoRounds; ++round) {
    const uint32_t len = EchoBytes(round);
    rows.push_back({true, Op::kRw, len, 0, 262144, total});
    total += len;
    rows.push_back({false, Op::kCreditUpdate, 0, 0, 262144, total});
    rows.push_back({false, Op::kRw, len, 0, 262144, total});
    if (round + 1 == kEchoRounds) {
      rows.push_back({false, Op::kShutdown, 0, 3, 262144, total});
    }
    rows.push_back({true, Op::kCreditUpdate, 0, 0, 262144, total});
  }
  rows.push_back({true, Op::kShutdown, 0, 3, 262144, total});
  rows.push_back({true, Op::kRst, 0, 0, 262144, total});
  rows.push_back({false, Op::kRst, 0, 0, 262144, total});
  return rows;
}

TEST_P(CaptureTest, TwentyRoundsOfAnEchoAndTwoClosesAtOnce) {
  const Side client = GetParam();
  const Ends ends = Connect(pair_, client);
  for (uint32_t round = 0; round < kEchoRounds; ++round) {
    ends.client.MustSend(EchoBytes(round));
    pair_.Run();
    ends.server.ReadLength(4096);
    pair_.Run();
    ends.server.MustSend(EchoBytes(round));
    pair_.Run();
    if (round + 1 == kEchoRounds) break;
    ends.client.ReadLength(4096);
    pair_.Run();
  }
  Close(pair_, ends.server);
  Deafen(client);
  pair_.Run();
  Deafen(Other(client));
  ends.client.ReadLength(4096);
  Close(pair_, ends.client);
  pair_.Run();
  Hear(client);
  Hear(Other(client));

  EXPECT_THAT(Wire(), ElementsAreArray(EchoCapture()));
}

}  // namespace
}  // namespace vsock
