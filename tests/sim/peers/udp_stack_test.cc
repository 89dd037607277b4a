// Tries sim/peers/udp_stack.h: two machines, frames handed over by hand.
//
// A sender's frame of 1514 bytes is an IP packet of 1500 with 47 bytes of room
// and 320 of tail: 1867, in a slab of 2048, and 256 of struct: 2304. So is one
// of 1178. A datagram of 4 KiB over an MTU of 1500 takes 6912, one over 9000
// (4124 + 47 + 320 = 4491, in 8192, and 256) takes 8448.

#include "sim/peers/udp_stack.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "sim/peers/net_frame.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Port;
using vsock::SocketId;
using Outcome = UdpStack::Outcome;

constexpr vsock::Cid kGuest{3};

struct Machines2 {
  explicit Machines2(uint32_t mtu)
      : guest({.endpoint = {.cid = kGuest},
               .peer = vsock::kCidHost,
               .mtu = mtu,
               .payload = vsock::PayloadMode::kReal}),
        host({.endpoint = {.cid = vsock::kCidHost},
              .peer = kGuest,
              .mtu = mtu,
              .payload = vsock::PayloadMode::kReal}),
        sender(guest.sockets().Open()),
        receiver(host.sockets().Open()) {
    EXPECT_TRUE(guest.sockets().Bind(sender, 0).ok());
    EXPECT_TRUE(host.sockets().Bind(receiver, 7).ok());
  }

  vsock::SendResult Send(const std::vector<std::byte>& payload) {
    return guest.Send(sender,
                      {.data = payload.data(),
                       .len = static_cast<uint32_t>(payload.size()),
                       .to = vsock::Address{vsock::kCidHost, Port(7)}},
                      frames);
  }

  // Datagrams admitted until the send buffer blocks.
  int InFlight(uint32_t bytes) {
    const std::vector<std::byte> payload(bytes);
    int count = 0;
    while (Send(payload).blocked == vsock::Blocked::kNo) ++count;
    return count;
  }

  UdpStack guest, host;
  SocketId sender, receiver;
  std::vector<NetFrame> frames;
};

std::vector<std::byte> Pattern(uint32_t bytes) {
  std::vector<std::byte> pattern(bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<std::byte>(i * 7 + i / 256);
  }
  return pattern;
}

TEST(UdpStackTest, DatagramOf4KiBBecomesThreeFrames) {
  Machines2 m(1500);

  const vsock::SendResult result = m.Send(Pattern(4096));

  ASSERT_EQ(m.frames.size(), 3u);
  EXPECT_EQ(m.frames[0].bytes, 1514u);
  EXPECT_EQ(m.frames[1].bytes, 1514u);
  EXPECT_EQ(m.frames[2].bytes, 1178u);
  EXPECT_EQ(result.work.packets, 3u);
  EXPECT_EQ(result.work.allocations, 3u);
  EXPECT_EQ(result.work.bytes_copied, 4096u);
}

TEST(UdpStackTest, EverySizeArrivesAsSent) {
  for (const uint32_t mtu : {68u, 1500u, 1503u, 9000u, 65535u}) {
    for (const uint32_t bytes :
         {0u, 1u, 15u, 16u, 17u, 1472u, 1473u, 4096u, 60000u, 65507u}) {
      Machines2 m(mtu);
      m.guest.sockets().SetSendBuffer(m.sender, 212992);
      const std::vector<std::byte> sent = Pattern(bytes);
      if (mtu == 68 && bytes >= 60000) continue;  // more than its send buffer
      ASSERT_TRUE(m.Send(sent).status.ok());

      Outcome last = Outcome::kKept;
      for (const NetFrame& frame : m.frames) {
        EXPECT_EQ(last, Outcome::kKept);
        last = m.host.Receive(frame, Instant(0));
      }

      std::vector<std::byte> got(bytes);
      EXPECT_EQ(last, Outcome::kQueued);
      EXPECT_EQ(m.host.sockets().Receive(m.receiver, got.data(), 65536).bytes,
                bytes);
      EXPECT_EQ(got, sent) << mtu << " " << bytes;
    }
  }
}

TEST(UdpStackTest, LostFragmentLosesTheDatagram) {
  for (size_t lost = 0; lost < 3; ++lost) {
    Machines2 m(1500);
    ASSERT_TRUE(m.Send(Pattern(4096)).status.ok());

    for (size_t i = 0; i < 3; ++i) {
      if (i == lost) continue;
      EXPECT_EQ(m.host.Receive(m.frames[i], Instant(0)), Outcome::kKept);
    }

    EXPECT_EQ(m.host.sockets().counters().queued, 0u);
    EXPECT_EQ(m.host.reassembly().incomplete(), 1u);
  }
}

TEST(UdpStackTest, PayloadAbove65507IsRefused) {
  Machines2 m(1500);

  EXPECT_TRUE(m.Send(Pattern(65507)).status.ok());
  const absl::Status status = m.Send(Pattern(65508)).status;

  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message().substr(0, 8), "EMSGSIZE");
  EXPECT_TRUE(m.frames.empty());
}

// 30 x 6912 = 207360 is below 212992, 31 x 6912 = 214272 is not.
TEST(UdpStackTest, DefaultSendBufferHolds31DatagramsOf4KiBInFragments) {
  EXPECT_EQ(Machines2(1500).InFlight(4096), 31);
}

// 25 x 8448 = 211200.
TEST(UdpStackTest, DefaultSendBufferHolds26DatagramsOf4KiBInJumboFrames) {
  EXPECT_EQ(Machines2(9000).InFlight(4096), 26);
}

// sk_sndbuf 4608: the first fragment finds 0, later ones go up to 9216, the
// sixth finds 5 x 2304 = 11520 and fails.
TEST(UdpStackTest, FragmentsBeyondTwiceTheSendBufferGiveENOBUFS) {
  Machines2 m(1500);
  m.guest.sockets().SetSendBuffer(m.sender, 1);

  EXPECT_TRUE(m.Send(Pattern(5 * 1480 - 8)).status.ok());
  m.guest.sockets().Release(m.sender, 5 * 2304);
  const absl::Status status = m.Send(Pattern(6 * 1480 - 8)).status;

  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_EQ(m.guest.sockets().Charged(), 0u);
  EXPECT_EQ(m.guest.ledger().counters().sent, 1u);
}

// The vhost worker's buffer: 12 + 1514 + 128 = 1654, in pieces of 64 1664, and
// 576: 2240; of 1178: 1344 + 576 = 1920. A frame that fits no page: a slab.
TEST(UdpStackTest, TapChargesWhatItsBuffersTake) {
  EXPECT_EQ(TapTrueSize(1514), 2240u);
  EXPECT_EQ(TapTrueSize(1178), 1920u);
  EXPECT_TRUE(IsBatchable(1514));
  EXPECT_FALSE(IsBatchable(4138));
  EXPECT_EQ(TapTrueSize(4138), 8448u);
}

// 12 + 1518 = 1530, in pieces of 64 1536; at most a page.
TEST(UdpStackTest, RxBuffersHoldAFullFrameUpToAPage) {
  EXPECT_EQ(RxBufferBytes(1500), 1536u);
  EXPECT_EQ(RxBufferBytes(9000), 4096u);
  EXPECT_EQ(RxTrueSize(1, 1536), 2304u);
}

TEST(UdpStackTest, NobodyBoundIsNoSocket) {
  Machines2 m(9000);
  m.host.sockets().Close(m.receiver, [](const Datagram&) {}).IgnoreError();
  ASSERT_TRUE(m.Send(Pattern(10)).status.ok());

  EXPECT_EQ(m.host.Receive(m.frames[0], Instant(0)), Outcome::kNoSocket);
}

}  // namespace
}  // namespace sim
