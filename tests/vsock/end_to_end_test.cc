// A packet's whole path, both types and both directions, through real rings.

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/vsock_pair.h"
#include "virtqueue/ring_format.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace vsock {
namespace {

std::vector<std::byte> Pattern(uint32_t len) {
  std::vector<std::byte> bytes(len);
  for (uint32_t i = 0; i < len; ++i) bytes[i] = std::byte(i * 7 + i / 251);
  return bytes;
}

struct Stream {
  SocketId client;
  SocketId server;
};

Stream ConnectGuestToHost(VsockPair& pair) {
  const SocketId listener = *pair.host_sockets().Open(Type::kStream);
  EXPECT_TRUE(pair.host_sockets().Bind(listener, Port(10)).ok());
  EXPECT_TRUE(pair.host_sockets().Listen(listener, 8).ok());
  const SocketId client = *pair.guest_sockets().Open(Type::kStream);
  EXPECT_TRUE(pair.guest_sockets()
                  .Connect(client, {kCidHost, Port(10)}, pair.now())
                  .ok());
  pair.Run();
  return {client, *pair.host_sockets().Accept(listener)};
}

// Sends all of `bytes`, reading whenever the sender would block.
std::vector<std::byte> Transfer(VsockPair& pair, Transport& from, SocketId out,
                                Transport& to, SocketId in,
                                const std::vector<std::byte>& bytes) {
  std::vector<std::byte> got(bytes.size());
  size_t sent = 0;
  size_t read = 0;
  while (read < got.size()) {
    if (sent < bytes.size()) {
      const SendResult result =
          from.Send(out, {.data = bytes.data() + sent,
                          .len = static_cast<uint32_t>(bytes.size() - sent)});
      EXPECT_TRUE(result.status.ok());
      sent += result.accepted;
    }
    pair.Run();
    read += to.Receive(in, got.data() + read,
                       static_cast<uint32_t>(got.size() - read))
                .bytes;
    pair.Run();
  }
  return got;
}

struct Ring {
  std::string name;
  virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
  bool in_order = false;
};

VsockPair::Options OptionsOf(const Ring& ring) {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.ring_format = ring.format;
  options.guest.driver.in_order = ring.in_order;
  return options;
}

class EndToEndTest : public testing::TestWithParam<Ring> {};

TEST_P(EndToEndTest, StreamBytesArriveInOrderBothWays) {
  VsockPair pair(OptionsOf(GetParam()));
  const Stream stream = ConnectGuestToHost(pair);
  const std::vector<std::byte> bytes = Pattern(1 << 20);

  const auto to_host = Transfer(pair, pair.guest_sockets(), stream.client,
                                pair.host_sockets(), stream.server, bytes);
  const auto to_guest = Transfer(pair, pair.host_sockets(), stream.server,
                                 pair.guest_sockets(), stream.client, bytes);

  EXPECT_TRUE(to_host == bytes);
  EXPECT_TRUE(to_guest == bytes);
}

TEST_P(EndToEndTest, DatagramArrivesWholeWithItsSource) {
  VsockPair pair(OptionsOf(GetParam()));
  const SocketId receiver = *pair.host_sockets().Open(Type::kDgram);
  ASSERT_TRUE(pair.host_sockets().Bind(receiver, Port(9)).ok());
  const SocketId sender = *pair.guest_sockets().Open(Type::kDgram);
  ASSERT_TRUE(pair.guest_sockets().Bind(sender, Port(77)).ok());
  const std::vector<std::byte> bytes = Pattern(4096);

  ASSERT_TRUE(pair.guest_sockets()
                  .Send(sender, {.data = bytes.data(),
                                 .len = 4096,
                                 .to = Address{kCidHost, Port(9)}})
                  .status.ok());
  pair.Run();
  std::vector<std::byte> got(5000);
  const ReceiveResult result =
      pair.host_sockets().Receive(receiver, got.data(), 5000);
  got.resize(result.bytes);

  EXPECT_EQ(result.from, (Address{kTestGuestCid, Port(77)}));
  EXPECT_TRUE(got == bytes);
}

TEST_P(EndToEndTest, DatagramToNobodyIsLostWithItsCauseAndNoReply) {
  VsockPair pair(OptionsOf(GetParam()));
  const SocketId sender = *pair.guest_sockets().Open(Type::kDgram);

  ASSERT_TRUE(pair.guest_sockets()
                  .Send(sender, {.len = 100, .to = Address{kCidHost, Port(9)}})
                  .status.ok());
  pair.Run();

  EXPECT_EQ(
      pair.host_sockets().losses().counters()[DropReason::kNoSocket].packets,
      1u);
  EXPECT_EQ(pair.guest_sockets().Find(sender)->datagram->send_buffer.charged(),
            0u);
}

INSTANTIATE_TEST_SUITE_P(
    Rings, EndToEndTest,
    testing::Values(Ring{"Split"},
                    Ring{"Packed", virtqueue::RingFormat::kPacked},
                    Ring{"SplitInOrder", virtqueue::RingFormat::kSplit,
                         /*in_order=*/true},
                    Ring{"PackedInOrder", virtqueue::RingFormat::kPacked,
                         /*in_order=*/true}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vsock
