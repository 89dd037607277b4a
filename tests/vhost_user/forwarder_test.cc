// Connections carried on between a guest and AF_UNIX sockets in a directory.

#include "vsock/vhost_user/forwarder.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/vhost_user/world.h"
#include "vsock/connection.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

using Bytes = std::vector<std::byte>;

class ForwarderTest : public ::testing::Test {
 protected:
  ForwarderTest() { world_.Start(); }

  Transport& guest() { return world_.guest().sockets(); }

  // A program that listens for what the guest sends to `port`.
  void ListenOnHost(uint32_t port) {
    auto listener =
        UnixListener::Create(world_.Path(absl::StrCat("host_", port)));
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = std::make_unique<UnixListener>(*std::move(listener));
  }
  FileDescriptor AcceptOnHost() {
    FileDescriptor file;
    world_.RunUntil([&] {
      file = listener_->Accept();
      return file.is_open();
    });
    return file;
  }
  // A program that asks for the guest's port.
  FileDescriptor ConnectToGuest(const std::string& line) {
    auto file = ConnectUnix(world_.Path("host"));
    EXPECT_TRUE(file.ok()) << file.status();
    WriteSome(file->get(), AsBytes(line));
    return *std::move(file);
  }
  SocketId ListenInGuest(uint32_t port) {
    const SocketId socket = *guest().Open(Type::kStream);
    EXPECT_TRUE(guest().Bind(socket, Port(port)).ok());
    EXPECT_TRUE(guest().Listen(socket, 8).ok());
    return socket;
  }
  SocketId AcceptInGuest(SocketId listener) {
    world_.RunUntil([&] { return guest().IsReady(listener, kAcceptable); });
    return *guest().Accept(listener);
  }
  // Both ends of a connection, asked for by the guest.
  std::pair<SocketId, FileDescriptor> Pair() {
    ListenOnHost(50);
    const SocketId socket = world_.Connect(50);
    return {socket, AcceptOnHost()};
  }

  static absl::Span<const std::byte> AsBytes(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
  }
  // What there is, once there is something; nothing at the end.
  Bytes ReadOnce(const FileDescriptor& file) {
    Bytes bytes(1 << 20);
    Moved moved;
    world_.RunUntil([&] {
      moved = ReadSome(file.get(), absl::MakeSpan(bytes));
      return !moved.would_block;
    });
    bytes.resize(moved.bytes);
    return bytes;
  }
  Bytes ReadOnHost(const FileDescriptor& file, size_t count) {
    Bytes all;
    while (all.size() < count) {
      const Bytes piece = ReadOnce(file);
      if (piece.empty()) break;
      all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
  }
  std::string ReadText(const FileDescriptor& file) {
    const Bytes bytes = ReadOnce(file);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // As many of `bytes` as go without the guest reading any.
  size_t FillOnHost(const FileDescriptor& file, const Bytes& bytes) {
    size_t done = 0;
    for (int i = 0; i < 100; ++i) {
      done +=
          WriteSome(file.get(), absl::MakeConstSpan(bytes).subspan(done)).bytes;
      world_.Settle();
    }
    return done;
  }

  World world_{{.services = "echo:1000", .forwards = true}};
  std::unique_ptr<UnixListener> listener_;
};

TEST_F(ForwarderTest, CarriesWhatTheGuestWrites) {
  auto [socket, host] = Pair();

  world_.Send(socket, Pattern(100'000));

  EXPECT_EQ(ReadOnHost(host, 100'000), Pattern(100'000));
  EXPECT_EQ(world_.Count().forwarded_from_guest, 1u);
}

TEST_F(ForwarderTest, CarriesWhatTheHostWrites) {
  auto [socket, host] = Pair();
  const Bytes bytes = Pattern(100'000);

  EXPECT_EQ(FillOnHost(host, bytes), bytes.size());

  EXPECT_EQ(world_.Read(socket, bytes.size()), bytes);
}

TEST_F(ForwarderTest, RefusesAPortThatNobodyListensAt) {
  absl::Status status;

  world_.Connect(51, &status);

  EXPECT_THAT(std::string(status.message()), StartsWith("ECONNRESET"));
  EXPECT_EQ(world_.Count().forwarding_refused, 1u);
}

TEST_F(ForwarderTest, LeavesPortsOfServicesToThem) {
  ListenOnHost(1000);
  const SocketId socket = world_.Connect(1000);

  world_.Send(socket, Pattern(10));

  EXPECT_EQ(world_.Read(socket, 10), Pattern(10));
  EXPECT_EQ(world_.Count().forwarded_from_guest, 0u);
}

TEST_F(ForwarderTest, ConnectsAProgramToThePortItNames) {
  const SocketId listener = ListenInGuest(60);

  const FileDescriptor host = ConnectToGuest("CONNECT 60\n");
  const SocketId socket = AcceptInGuest(listener);

  EXPECT_THAT(ReadText(host), MatchesRegex("OK [0-9]+\n"));
  world_.Send(socket, Pattern(1000));
  EXPECT_EQ(ReadOnHost(host, 1000), Pattern(1000));
  EXPECT_EQ(world_.Count().forwarded_to_guest, 1u);
}

TEST_F(ForwarderTest, TellsAProgramThePortThatTheGuestSees) {
  const SocketId listener = ListenInGuest(60);

  const FileDescriptor host = ConnectToGuest("CONNECT 60\n");
  const SocketId socket = AcceptInGuest(listener);

  const uint32_t port = guest().Find(socket)->peer->port.value();
  EXPECT_EQ(ReadText(host), absl::StrCat("OK ", port, "\n"));
}

TEST_F(ForwarderTest, CarriesWhatFollowsTheLineAtOnce) {
  const SocketId listener = ListenInGuest(60);

  const FileDescriptor host = ConnectToGuest("CONNECT 60\nhello");

  const Bytes hello = world_.Read(AcceptInGuest(listener), 5);
  EXPECT_EQ(absl::MakeConstSpan(hello), AsBytes("hello"));
}

TEST_F(ForwarderTest, HangsUpWhenTheGuestRefuses) {
  const FileDescriptor host = ConnectToGuest("CONNECT 61\n");

  EXPECT_THAT(ReadOnce(host), IsEmpty());
  EXPECT_EQ(world_.Count().forwarding_refused, 1u);
}

TEST_F(ForwarderTest, HangsUpOnALineThatAsksForNoPort) {
  for (const char* line :
       {"\n", "connect 60\n", "CONNECT\n", "CONNECT x\n", "CONNECT -1\n",
        "CONNECT 4294967296\n", "CONNECT 00000000000000000000000000000060\n"}) {
    const FileDescriptor host = ConnectToGuest(line);

    EXPECT_THAT(ReadOnce(host), IsEmpty()) << line;
  }
}

TEST_F(ForwarderTest, HangsUpWhileThereIsNoGuest) {
  world_.guest().Disconnect();
  world_.Settle();

  const FileDescriptor host = ConnectToGuest("CONNECT 60\n");

  EXPECT_THAT(ReadOnce(host), IsEmpty());
}

TEST_F(ForwarderTest, WaitsForTheRestOfALine) {
  const SocketId listener = ListenInGuest(60);
  const FileDescriptor host = ConnectToGuest("CONN");
  world_.Settle();

  WriteSome(host.get(), AsBytes("ECT 60\n"));

  EXPECT_TRUE(guest().Find(AcceptInGuest(listener))->connection.has_value());
}

TEST_F(ForwarderTest, MakesTheHostWaitForAGuestThatDoesNotRead) {
  auto [socket, host] = Pair();
  const Bytes bytes = Pattern(4'000'000);

  const size_t taken = FillOnHost(host, bytes);

  EXPECT_EQ(guest().Readable(socket, 1 << 30), 262144u);
  EXPECT_LT(taken, 1'000'000u);  // credit, and what a socket holds
  EXPECT_EQ(world_.Read(socket, taken), Pattern(taken));
}

TEST_F(ForwarderTest, MakesTheGuestWaitForAHostThatDoesNotRead) {
  auto [socket, host] = Pair();
  const Bytes bytes = Pattern(65536);
  size_t taken = 0;
  for (int i = 0; i < 100; ++i) {
    taken += guest()
                 .Send(socket, {.data = Pattern(taken + 65536).data() + taken,
                                .len = 65536})
                 .accepted;
    world_.Settle();
  }

  EXPECT_LT(taken, 1'000'000u);

  EXPECT_EQ(ReadOnHost(host, taken), Pattern(taken));
}

TEST_F(ForwarderTest, CarriesTheGuestsHalfCloseOver) {
  auto [socket, host] = Pair();
  world_.Send(socket, Pattern(1000));

  world_.ShutDown(socket, kShutdownSend);

  EXPECT_EQ(ReadOnHost(host, 1001), Pattern(1000));
  WriteSome(host.get(), Pattern(70));
  EXPECT_EQ(world_.Read(socket, 70), Pattern(70));
}

TEST_F(ForwarderTest, CarriesTheHostsHalfCloseOver) {
  auto [socket, host] = Pair();
  WriteSome(host.get(), Pattern(1000));

  shutdown(host.get(), SHUT_WR);

  EXPECT_EQ(world_.ReadToEnd(socket), Pattern(1000));
  world_.Send(socket, Pattern(70));
  EXPECT_EQ(ReadOnHost(host, 70), Pattern(70));
}

TEST_F(ForwarderTest, GivesTheGuestEverythingThatAGoneHostHadWritten) {
  auto [socket, host] = Pair();
  const Bytes bytes = Pattern(300'000);  // more than credit
  ASSERT_EQ(FillOnHost(host, bytes), bytes.size());

  host = FileDescriptor();

  EXPECT_EQ(world_.ReadToEnd(socket), bytes);
  world_.Settle();
  EXPECT_FALSE(guest().Send(socket, {.len = 1}).status.ok());
}

TEST_F(ForwarderTest, ClosesTheHostsEndWhenTheGuestCloses) {
  auto [socket, host] = Pair();

  ASSERT_TRUE(guest().Close(socket, Instant(0)).ok());

  EXPECT_THAT(ReadOnce(host), IsEmpty());
}

TEST_F(ForwarderTest, TellsTheGuestThatTheHostIsGoneThoughItWritesNothing) {
  auto [socket, host] = Pair();
  shutdown(host.get(), SHUT_WR);
  EXPECT_THAT(world_.ReadToEnd(socket), IsEmpty());

  host = FileDescriptor();
  world_.Settle();

  EXPECT_FALSE(guest().Send(socket, {.len = 1}).status.ok());
}

TEST_F(ForwarderTest, ClosesEverythingWhenTheDriverBeginsAnew) {
  auto [socket, host] = Pair();
  world_.StopRings();

  world_.guest().Boot();
  world_.guest().SendRings(world_.guest().BeginOfRings());

  EXPECT_THAT(ReadOnce(host), IsEmpty());
}

TEST_F(ForwarderTest, ServesManyConnectionsAtOnce) {
  ListenOnHost(50);
  std::vector<std::pair<SocketId, FileDescriptor>> pairs;
  for (int i = 0; i < 100; ++i) {
    const SocketId socket = world_.Connect(50);
    pairs.emplace_back(socket, AcceptOnHost());
  }

  for (size_t i = 0; i < pairs.size(); ++i) {
    world_.Send(pairs[i].first, Pattern(i + 1));
  }

  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(ReadOnHost(pairs[i].second, i + 1), Pattern(i + 1));
  }
}

}  // namespace
}  // namespace vsock::vhost_user
