// A driver at the mercy of a device that obeys no rule.

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>

#include "gtest/gtest.h"
#include "tests/support/raw_guest.h"
#include "tests/support/ring_view.h"
#include "tests/support/vsock_pair.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/testing/raw_device.h"
#include "vsock/guest.h"
#include "vsock/transport.h"

namespace vsock {
namespace {

constexpr Port kPort{9};
constexpr uint32_t kRxBuffer = 4140;

const virtqueue::SplitRingAddrs& Split(const virtqueue::RingAddrs& addrs) {
  return std::get<virtqueue::SplitRingAddrs>(addrs);
}

class HostileDeviceTest : public ::testing::Test {
 protected:
  HostileDeviceTest()
      : guest_(*Guest::Create(VsockPair::Defaults().guest)),
        rx_(guest_->memory(), Split(layout().rx), layout().size),
        tx_(guest_->memory(), Split(layout().tx), layout().size),
        receiver_(*sockets().Open(Type::kDgram)) {
    EXPECT_TRUE(sockets().Bind(receiver_, kPort).ok());
  }

  Driver& driver() { return guest_->driver(); }
  const RingLayout& layout() { return guest_->driver().layout(); }
  Transport& sockets() { return guest_->transport(); }

  static VsockHdr Datagram(uint32_t len) {
    VsockHdr hdr;
    hdr.set_source({kCidHost, Port(500)});
    hdr.set_destination({kTestGuestCid, kPort});
    hdr.set(Type::kDgram, Op::kRw);
    hdr.len = len;
    return hdr;
  }
  // Writes `hdr` into the next rx buffer and uses it with `len`.
  void Use(const VsockHdr& hdr, uint32_t len) {
    const uint16_t head = rx_.Head(static_cast<uint16_t>(next_++ % 128));
    const uint64_t at = rx_.ReadDescriptor(head).addr;
    std::memcpy(
        guest_->memory().Slice(virtqueue::GuestAddr(at), kHdrBytes)->data(),
        &hdr, kHdrBytes);
    rx_.Use(head, len);
  }
  void RunRx() {
    while (driver().RxStep(Instant(0)).more) {
    }
  }
  uint64_t Malformed() {
    return driver().losses().counters()[DropReason::kMalformed].packets;
  }
  ReceiveResult Receive() {
    return sockets().Receive(receiver_, nullptr, 1 << 20);
  }

  std::unique_ptr<Guest> guest_;
  virtqueue::RawDevice rx_;
  virtqueue::RawDevice tx_;
  SocketId receiver_;
  uint32_t next_ = 0;
};

TEST_F(HostileDeviceTest, UsedLengthAndHeaderLengthMustAgree) {
  for (const uint32_t used : {0u, 1u, 43u, 44u, 45u, 144u, kRxBuffer}) {
    const uint32_t actual = used > 44 ? used - 44 : 0;
    for (const uint32_t len : {0u, actual, actual + 1, 4096u, 4097u, 65536u,
                               65537u, 1u << 31, 0xffffffffu}) {
      const uint64_t before = Malformed();
      Use(Datagram(len), used);
      RunRx();

      const bool lawful = used >= 44 && len == actual;
      const ReceiveResult got = Receive();
      EXPECT_EQ(got.would_block, !lawful) << used << " " << len;
      EXPECT_EQ(got.message_bytes, lawful ? len : 0);
      EXPECT_EQ(Malformed() - before, lawful ? 0u : 1u);
      EXPECT_TRUE(driver().status().ok());
    }
  }
}

TEST_F(HostileDeviceTest, NothingIsReadBeyondWhatWasUsed) {
  Use(Datagram(4096), 20);  // the rest of the header is not the device's word
  RunRx();

  EXPECT_EQ(driver().losses().counters()[DropReason::kMalformed].bytes, 0u);
}

TEST_F(HostileDeviceTest, BuffersOfMalformedPacketsArePostedAgain) {
  for (int i = 0; i < 10000; ++i) {
    Use(Datagram(1), 44);
    if (i % 50 == 0) RunRx();
  }
  RunRx();

  EXPECT_EQ(Malformed(), 10000u);
  EXPECT_GE(driver().rx_posted(), 64u);
  Use(Datagram(7), 51);
  RunRx();
  EXPECT_EQ(Receive().message_bytes, 7u);
}

TEST_F(HostileDeviceTest, LengthBeyondTheBufferQuarantinesTheRing) {
  Use(Datagram(kRxBuffer - 43), kRxBuffer + 1);
  RunRx();

  EXPECT_FALSE(driver().status().ok());
  EXPECT_TRUE(Receive().would_block);
}

TEST_F(HostileDeviceTest, UsedIdsThatAreNoneQuarantineTheRing) {
  for (const uint32_t id : {128u, 0xffffu, 0x10000u, 0xffffffffu}) {
    std::unique_ptr<Guest> guest = *Guest::Create(VsockPair::Defaults().guest);
    virtqueue::RawDevice rx(guest->memory(), Split(guest->driver().layout().rx),
                            128);
    rx.Use(id, 44);
    while (guest->driver().RxStep(Instant(0)).more) {
    }

    EXPECT_FALSE(guest->driver().status().ok()) << id;
  }
}

TEST_F(HostileDeviceTest, TxBufferUsedTwiceReturnsItsChargeOnce) {
  const SocketId sender = *sockets().Open(Type::kDgram);
  const Address to = {kCidHost, kPort};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(sockets().Send(sender, {.len = 100, .to = to}).accepted, 100u);
  }
  (void)driver().Submit();
  const uint16_t head = tx_.Head(0);
  tx_.Use(head, 0);
  tx_.Use(head, 0);
  (void)driver().ReclaimStep();

  EXPECT_FALSE(driver().status().ok());
  EXPECT_EQ(sockets().Find(sender)->datagram->send_buffer.charged(), 768u);
}

TEST_F(HostileDeviceTest, CallsOfTheGuestLiveOnOverAQuarantinedRing) {
  rx_.Use(9999, 44);
  tx_.Use(9999, 44);
  RunRx();
  (void)driver().ReclaimStep();
  const SocketId sender = *sockets().Open(Type::kDgram);
  for (int i = 0; i < 300; ++i) {
    const SendResult result =
        sockets().Send(sender, {.len = 100, .to = Address{kCidHost, kPort}});
    EXPECT_TRUE(result.status.ok());
    (void)driver().Submit();
    (void)driver().SendStep();
  }

  EXPECT_TRUE(Receive().would_block);
  EXPECT_TRUE(sockets().Close(sender, Instant(0)).ok());
}

TEST_F(HostileDeviceTest, PacketForAnotherContextIdIsCounted) {
  VsockHdr hdr = Datagram(0);
  hdr.dst_cid = (uint64_t{1} << 32) | 3;
  Use(hdr, 44);
  RunRx();

  EXPECT_EQ(sockets().losses().counters()[DropReason::kWrongCid].packets, 1u);
  EXPECT_TRUE(Receive().would_block);
}

TEST_F(HostileDeviceTest, ResetFromAStrangerDoesNotEndAConnection) {
  const SocketId id = *sockets().Open(Type::kStream);
  ASSERT_TRUE(sockets().Connect(id, {kCidHost, Port(10)}, Instant(0)).ok());
  VsockHdr hdr;
  hdr.set_source({Cid(77), Port(10)});
  hdr.set_destination({kTestGuestCid, *sockets().Find(id)->port});
  hdr.set(Type::kStream, Op::kRst);
  Use(hdr, 44);
  RunRx();

  EXPECT_EQ(sockets().Find(id)->connection->state(),
            Connection::State::kConnecting);
}

}  // namespace
}  // namespace vsock
