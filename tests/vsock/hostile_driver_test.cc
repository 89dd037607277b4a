// A device at the mercy of a driver that obeys no rule: whatever is offered is
// judged by a copy, counted, and completed, and the device serves on.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "sim/random.h"
#include "tests/support/raw_guest.h"
#include "tests/support/stream_ends.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

using Piece = RawGuest::Piece;
using Pieces = RawGuest::Pieces;

constexpr Port kPort{9};
constexpr Port kStreamPort{10};

class HostileDriverTest : public ::testing::Test {
 protected:
  HostileDriverTest()
      : receiver_(*guest_.host().Open(Type::kDgram)),
        listener_(*guest_.host().Open(Type::kStream)) {
    EXPECT_TRUE(guest_.host().Bind(receiver_, kPort).ok());
    EXPECT_TRUE(guest_.host().Bind(listener_, kStreamPort).ok());
    EXPECT_TRUE(guest_.host().Listen(listener_, 1000).ok());
  }

  static VsockHdr Datagram(uint32_t len) {
    return RawGuest::Header(Type::kDgram, Op::kRw, kPort, len);
  }
  uint64_t Lost(DropReason reason) {
    return guest_.device().losses().counters()[reason].packets;
  }
  ReceiveResult Receive() {
    return guest_.host().Receive(receiver_, nullptr, 1 << 20);
  }
  void TakeReply() {
    guest_.OfferRx({Piece{4140, true}});
    guest_.Serve();
  }
  // The device still completes chains and answers a REQUEST.
  void ExpectAlive() {
    guest_.OfferRx({Piece{100, true}});
    VsockHdr request =
        RawGuest::Header(Type::kStream, Op::kRequest, kStreamPort);
    request.src_port = next_port_++;
    guest_.OfferTx(request);
    guest_.Serve();
    EXPECT_TRUE(guest_.all_tx_used());
    EXPECT_EQ(guest_.LastRxUsedLen(), 44u);
    EXPECT_TRUE(guest_.LastRxHeader().is(Op::kResponse));
    EXPECT_EQ(guest_.LastRxHeader().dst_port, request.src_port);
    EXPECT_TRUE(guest_.device().status().ok());
  }

  RawGuest guest_;
  SocketId receiver_;
  SocketId listener_;
  uint32_t next_port_ = 5000;
};

TEST_F(HostileDriverTest, TestsThisFileRestsOnALawfulPacketThatPasses) {
  guest_.OfferTx(Datagram(100), 100);
  guest_.Serve();

  EXPECT_EQ(Receive().message_bytes, 100u);
  EXPECT_EQ(guest_.LastTxUsedLen(), 0u);
  ExpectAlive();
}

// The length in the header against the bytes that are there.
TEST_F(HostileDriverTest, HeaderLengthIsHeldToTheChain) {
  for (const uint32_t chain :
       {0u, 1u, 43u, 44u, 45u, 144u, 44u + 65536u, 44u + 65537u}) {
    const uint32_t actual = chain > 44 ? chain - 44 : 0;
    for (const uint32_t len :
         {0u, actual, actual + 1, 65536u, 65537u, 1u << 31, 0xffffffffu}) {
      const uint64_t before = Lost(DropReason::kMalformed);
      guest_.OfferTx(WireBytes(Datagram(len), {}), {Piece{chain}});
      guest_.Serve();

      const bool lawful = chain >= 44 && len <= actual && len <= 65536;
      const ReceiveResult got = Receive();
      EXPECT_EQ(got.would_block, !lawful) << chain << " " << len;
      EXPECT_EQ(got.message_bytes, lawful ? len : 0);
      EXPECT_EQ(Lost(DropReason::kMalformed) - before, lawful ? 0u : 1u);
      EXPECT_TRUE(guest_.all_tx_used());
      EXPECT_EQ(guest_.LastTxUsedLen(), 0u);
    }
  }
  ExpectAlive();
}

TEST_F(HostileDriverTest, LossIsNotCountedAsLargerThanWhatWasThere) {
  guest_.OfferTx(Datagram(0xffffffff), 100);
  guest_.Serve();

  EXPECT_LE(guest_.device().losses().counters()[DropReason::kMalformed].bytes,
            144u);
}

TEST_F(HostileDriverTest, ContextIdsAreJudgedInAllTheirBits) {
  struct Ids {
    uint64_t src;
    uint64_t dst;
  };
  const uint64_t high = uint64_t{1} << 32;
  for (const Ids& ids :
       {Ids{4, 2}, Ids{0, 2}, Ids{2, 2}, Ids{3, 3}, Ids{3, 0}, Ids{3, 1},
        Ids{3, 77}, Ids{high | 3, 2}, Ids{3, high | 2}, Ids{high << 31 | 3, 2},
        Ids{~uint64_t{0}, 2}, Ids{3, ~uint64_t{0}}, Ids{3, 0xffffffff}}) {
    const uint64_t before = Lost(DropReason::kWrongCid);
    VsockHdr hdr = Datagram(0);
    hdr.src_cid = ids.src;
    hdr.dst_cid = ids.dst;
    guest_.OfferTx(hdr);
    guest_.Serve();

    EXPECT_EQ(Lost(DropReason::kWrongCid) - before, 1u);
    EXPECT_TRUE(Receive().would_block);
  }
  ExpectAlive();
}

TEST_F(HostileDriverTest, UnknownTypeIsAnsweredWithRst) {
  for (const uint16_t type :
       {uint16_t{0}, uint16_t{2}, uint16_t{4}, uint16_t{0xffff}}) {
    guest_.OfferRx({Piece{4140, true}});
    guest_.OfferTx(RawGuest::Header(static_cast<Type>(type), Op::kRw, kPort));
    guest_.Serve();

    EXPECT_TRUE(guest_.LastRxHeader().is(Op::kRst));
    EXPECT_EQ(guest_.LastRxHeader().type, type);
    EXPECT_EQ(guest_.LastRxHeader().destination(),
              (Address{RawGuest::kCid, RawGuest::kPort}));
  }
  ExpectAlive();
}

TEST_F(HostileDriverTest, UnknownOperationIsRefusedOrIgnored) {
  guest_.OfferRx({Piece{4140, true}});
  guest_.OfferTx(
      RawGuest::Header(Type::kStream, static_cast<Op>(99), kStreamPort));
  guest_.OfferTx(RawGuest::Header(Type::kDgram, static_cast<Op>(99), kPort));
  guest_.Serve();

  EXPECT_TRUE(guest_.LastRxHeader().is(Op::kRst));
  EXPECT_EQ(guest_.rx_used(), 1u);
  EXPECT_TRUE(Receive().would_block);
  ExpectAlive();
}

TEST_F(HostileDriverTest, WritableDescriptorsHaveNoPlaceInTx) {
  const std::vector<std::byte> bytes = WireBytes(Datagram(10), Pattern(10));
  const Pieces shapes[] = {{Piece{54, true}},
                           {Piece{44}, Piece{10, true}},
                           {Piece{54}, Piece{1, true}},
                           {Piece{43}, Piece{11, true}}};
  for (const Pieces& shape : shapes) {
    const uint64_t before = Lost(DropReason::kMalformed);
    guest_.OfferTx(bytes, shape);
    guest_.Serve();

    EXPECT_EQ(Lost(DropReason::kMalformed) - before, 1u);
    EXPECT_EQ(guest_.LastTxUsedLen(), 0u);
  }
  EXPECT_TRUE(Receive().would_block);
  ExpectAlive();
}

TEST_F(HostileDriverTest,
       RxBuffersThatHoldNoPacketComeBackUnusedAndNoneIsLost) {
  const SocketId sender = *guest_.host().Open(Type::kDgram);
  const Address to = {RawGuest::kCid, kPort};
  ASSERT_EQ(guest_.host().Send(sender, {.len = 10, .to = to}).accepted, 10u);
  const Pieces useless[] = {{Piece{43, true}},
                            {Piece{44, true}},  // no room for a payload byte
                            {Piece{100}},
                            {Piece{44}, Piece{100, true}},
                            {Piece{0, true}}};
  for (const Pieces& pieces : useless) guest_.OfferRx(pieces);
  guest_.Serve();
  EXPECT_EQ(guest_.rx_used(), 5u);
  EXPECT_EQ(guest_.LastRxUsedLen(), 0u);

  guest_.OfferRx({Piece{54, true}});
  guest_.Serve();

  EXPECT_EQ(guest_.LastRxUsedLen(), 54u);
  EXPECT_EQ(guest_.LastRxHeader().len, 10u);
  ExpectAlive();
}

TEST_F(HostileDriverTest, BufferOfABareHeaderCarriesAPacketWithoutPayload) {
  guest_.OfferRx({Piece{44, true}});
  guest_.OfferTx(RawGuest::Header(Type::kStream, Op::kRequest, Port(1)));
  guest_.Serve();

  EXPECT_EQ(guest_.LastRxUsedLen(), 44u);
  EXPECT_TRUE(guest_.LastRxHeader().is(Op::kRst));
}

TEST_F(HostileDriverTest, BrokenTxRingLeavesRxServed) {
  guest_.OfferTxDescriptors({{.addr = RawGuest::kNowhere, .len = 44}});
  guest_.Serve();
  EXPECT_FALSE(guest_.device().status().ok());

  const SocketId sender = *guest_.host().Open(Type::kDgram);
  const Address to = {RawGuest::kCid, kPort};
  ASSERT_EQ(guest_.host().Send(sender, {.len = 10, .to = to}).accepted, 10u);
  guest_.OfferRx({Piece{100, true}});
  guest_.Serve();

  EXPECT_EQ(guest_.LastRxUsedLen(), 54u);
}

TEST_F(HostileDriverTest, NothingOfAChainWithOneBadPieceIsDelivered) {
  for (int bad = 0; bad < 4; ++bad) {
    RawGuest guest;
    const SocketId receiver = *guest.host().Open(Type::kDgram);
    ASSERT_TRUE(guest.host().Bind(receiver, kPort).ok());
    guest.OfferTx(Datagram(30), 30);  // puts lawful bytes into the buffers
    guest.Serve();
    ASSERT_EQ(guest.host().Receive(receiver, nullptr, 99).message_bytes, 30u);
    std::vector<virtqueue::Descriptor> descs;
    for (uint16_t i = 0; i < 4; ++i) {
      descs.push_back({.addr = 0x120000 + 20u * i,
                       .len = 20,
                       .flags = i < 3 ? virtqueue::kDescNext : uint16_t{0},
                       .next = static_cast<uint16_t>(i + 1)});
    }
    descs[bad].addr = RawGuest::kNowhere;
    guest.OfferTxDescriptors(descs);
    guest.Serve();

    EXPECT_TRUE(guest.host().Receive(receiver, nullptr, 99).would_block);
    EXPECT_FALSE(guest.device().status().ok());
  }
}

TEST_F(HostileDriverTest, DriverThatNeverTakesItsRepliesStopsItsOwnTxRing) {
  for (int i = 0; i < 100; ++i) {
    VsockHdr request = RawGuest::Header(Type::kStream, Op::kRequest, Port(1));
    request.src_port = 100 + i;
    guest_.OfferTx(request);
  }
  guest_.Serve();
  ASSERT_TRUE(guest_.all_tx_used());
  for (int i = 0; i < 100; ++i) {
    guest_.OfferTx(RawGuest::Header(Type::kStream, Op::kRequest, Port(1)));
  }
  guest_.Serve();

  EXPECT_EQ(guest_.tx_used(), RawGuest::kRing);
  EXPECT_EQ(guest_.device().send_list().replies(), RawGuest::kRing);
}

TEST_F(HostileDriverTest, FloodOfCreditRequestsWaitsAsOneAnswer) {
  guest_.OfferTx(RawGuest::Header(Type::kStream, Op::kRequest, kStreamPort));
  guest_.Serve();
  for (int i = 0; i < 5000; ++i) {
    guest_.OfferTx(
        RawGuest::Header(Type::kStream, Op::kCreditRequest, kStreamPort));
    guest_.Serve();
    ASSERT_TRUE(guest_.all_tx_used());
  }

  EXPECT_EQ(guest_.device().send_list().size(), 2u);  // with the RESPONSE
}

TEST_F(HostileDriverTest, PacketsDrawnAtRandomAreAllCompleted) {
  sim::Random random(11);
  for (int i = 0; i < 20000; ++i) {
    VsockHdr hdr = Datagram(static_cast<uint32_t>(random.Uniform(0, 300)));
    hdr.type = static_cast<uint16_t>(random.Uniform(0, 4));
    hdr.op = static_cast<uint16_t>(random.Uniform(0, 9));
    hdr.dst_port = static_cast<uint32_t>(random.Uniform(8, 11));
    hdr.src_port = static_cast<uint32_t>(random.Uniform(1, 3));
    hdr.flags = static_cast<uint32_t>(random.Uniform(0, 4));
    hdr.buf_alloc = static_cast<uint32_t>(random.Next());
    hdr.fwd_cnt = static_cast<uint32_t>(random.Next());
    if (random.OneIn(10)) hdr.len = static_cast<uint32_t>(random.Next());
    if (random.OneIn(20)) hdr.src_cid = random.Next();
    Pieces pieces;
    const int64_t count = random.Uniform(0, 6);
    for (int64_t k = 0; k <= count; ++k) {
      const uint32_t len = static_cast<uint32_t>(random.Uniform(0, 100));
      pieces.push_back(Piece{len});
    }
    const bool indirect = random.OneIn(2);
    guest_.OfferTx(WireBytes(hdr, {}), pieces, indirect);
    guest_.Serve();
    (void)Receive();
    while (guest_.device().send_list().replies() >= RawGuest::kRing / 2) {
      TakeReply();
    }
    ASSERT_TRUE(guest_.all_tx_used()) << i;
  }
  while (!guest_.device().send_list().empty()) TakeReply();
  ExpectAlive();
}

// Every partition of the same packet behaves the same.

Pieces Cut(const std::vector<uint32_t>& lengths, bool writable) {
  Pieces pieces;
  for (const uint32_t len : lengths) pieces.push_back(Piece{len, writable});
  return pieces;
}

// Of 44 + 340 bytes.
std::vector<std::vector<uint32_t>> Partitions() {
  std::vector<std::vector<uint32_t>> all = {{384},
                                            {44, 340},
                                            {40, 344},
                                            {1, 43, 340},
                                            {45, 339},
                                            {44, 170, 170},
                                            {0, 44, 0, 340, 0},
                                            {44, 0, 0, 340},
                                            {20, 20, 20, 20, 304},
                                            std::vector<uint32_t>(96, 4)};
  std::vector<uint32_t> bytes_of_header(44, 1);
  bytes_of_header.push_back(340);
  all.push_back(bytes_of_header);
  std::vector<uint32_t> seventeen = {44};
  seventeen.insert(seventeen.end(), 17, 20);
  all.push_back(seventeen);
  for (uint32_t first = 1; first < 384; ++first) {
    all.push_back({first, 384 - first});
  }
  for (uint32_t first = 1; first < 60; ++first) {
    for (uint32_t second = 1; second < 60; second += 7) {
      all.push_back({first, second, 384 - first - second});
    }
  }
  return all;
}

class PartitionTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(DirectAndIndirect, PartitionTest,
                         ::testing::Values(false, true));

TEST_P(PartitionTest, DatagramInTxIsTheSameHoweverItIsCut) {
  RawGuest guest;
  const SocketId receiver = *guest.host().Open(Type::kDgram);
  ASSERT_TRUE(guest.host().Bind(receiver, kPort).ok());
  const std::vector<std::byte> payload = Pattern(340);
  const VsockHdr hdr = RawGuest::Header(Type::kDgram, Op::kRw, kPort, 340);
  for (const std::vector<uint32_t>& lengths : Partitions()) {
    guest.OfferTx(WireBytes(hdr, payload), Cut(lengths, false), GetParam());
    guest.Serve();

    std::vector<std::byte> got(1000);
    got.resize(guest.host().Receive(receiver, got.data(), 1000).bytes);
    ASSERT_TRUE(got == payload);
    ASSERT_EQ(guest.LastTxUsedLen(), 0u);
  }
}

TEST_P(PartitionTest, DatagramInRxIsTheSameHoweverTheBufferIsCut) {
  RawGuest guest;
  const SocketId sender = *guest.host().Open(Type::kDgram);
  const std::vector<std::byte> payload = Pattern(340);
  for (const std::vector<uint32_t>& lengths : Partitions()) {
    guest.OfferRx(Cut(lengths, true), GetParam());
    ASSERT_EQ(guest.host()
                  .Send(sender, {.data = payload.data(),
                                 .len = 340,
                                 .to = Address{RawGuest::kCid, kPort}})
                  .accepted,
              340u);
    guest.Serve();

    ASSERT_EQ(guest.LastRxUsedLen(), 384u);
    const std::vector<std::byte> got = guest.LastRx();
    ASSERT_TRUE(std::equal(got.begin() + 44, got.end(), payload.begin()));
    ASSERT_EQ(guest.LastRxHeader().len, 340u);
  }
}

TEST_P(PartitionTest, StreamIsTheSameHoweverItsPacketsAreCut) {
  RawGuest guest;
  Transport& host = guest.host();
  const SocketId listener = *host.Open(Type::kStream);
  ASSERT_TRUE(host.Bind(listener, kStreamPort).ok());
  ASSERT_TRUE(host.Listen(listener, 1).ok());
  guest.OfferTx(RawGuest::Header(Type::kStream, Op::kRequest, kStreamPort));
  guest.Serve();
  const SocketId server = *host.Accept(listener);
  const VsockHdr hdr =
      RawGuest::Header(Type::kStream, Op::kRw, kStreamPort, 340);
  uint32_t seed = 0;
  for (const std::vector<uint32_t>& lengths : Partitions()) {
    const std::vector<std::byte> payload = Pattern(340, ++seed);
    guest.OfferTx(WireBytes(hdr, payload), Cut(lengths, false), GetParam());
    guest.Serve();

    std::vector<std::byte> got(1000);
    got.resize(host.Receive(server, got.data(), 1000).bytes);
    ASSERT_TRUE(got == payload);
  }
}

}  // namespace
}  // namespace vsock
