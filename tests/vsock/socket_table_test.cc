// Sockets by id, by port and by flow.

#include "vsock/socket_table.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "vsock/units.h"

namespace vsock {
namespace {

constexpr Address kRemote{kCidHost, Port(500)};

// The four ports of a small range that are bound.
void Occupy(SocketTable& table, const std::vector<uint32_t>& ports) {
  for (const uint32_t port : ports) {
    ASSERT_TRUE(table.Bind(table.Add(Type::kStream), Port(port)).ok());
  }
}

TEST(SocketTableTest, IdsOfRemovedSocketsFindNothing) {
  SocketTable table;
  const SocketId first = table.Add(Type::kStream).id;
  table.Remove(first);
  const SocketId second = table.Add(Type::kStream).id;

  EXPECT_EQ(table.Find(first), nullptr);
  ASSERT_NE(table.Find(second), nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.Find(SocketId(0)), nullptr);
  EXPECT_EQ(table.Find(SocketId(0xffffffffffffffff)), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(SocketTableTest, SocketsStayWhereTheyAre) {
  SocketTable table;
  Socket* first = &table.Add(Type::kStream);
  const SocketId id = first->id;
  for (int i = 0; i < 10000; ++i) table.Add(Type::kDgram);

  EXPECT_EQ(table.Find(id), first);
}

TEST(SocketTableTest, PortIsBoundOnceInEachSpace) {
  SocketTable table;
  Socket& stream = table.Add(Type::kStream);
  Socket& dgram = table.Add(Type::kDgram);

  EXPECT_EQ(ErrnoOf(table.Bind(stream, Port(10))), "OK");
  EXPECT_EQ(ErrnoOf(table.Bind(dgram, Port(10))), "OK");
  EXPECT_EQ(ErrnoOf(table.Bind(table.Add(Type::kStream), Port(10))),
            "EADDRINUSE");
  EXPECT_EQ(ErrnoOf(table.Bind(table.Add(Type::kDgram), Port(10))),
            "EADDRINUSE");
  EXPECT_EQ(table.FindBound(Type::kStream, Port(10)), &stream);
  EXPECT_EQ(table.FindBound(Type::kDgram, Port(10)), &dgram);
}

TEST(SocketTableTest, StreamAndSeqpacketShareASpace) {
  SocketTable table;
  ASSERT_TRUE(table.Bind(table.Add(Type::kStream), Port(10)).ok());

  EXPECT_EQ(ErrnoOf(table.Bind(table.Add(Type::kSeqpacket), Port(10))),
            "EADDRINUSE");
}

TEST(SocketTableTest, AutomaticPortsAreAboveTheReservedOnesAndNeverAny) {
  SocketTable table;
  Socket& socket = table.Add(Type::kStream);
  ASSERT_TRUE(table.Bind(socket, kPortAny).ok());

  EXPECT_GE(socket.port->value(), 1024u);
  EXPECT_NE(*socket.port, kPortAny);
}

// Four ports, three of them bound, and the search begun at each of the four.
TEST(SocketTableTest, FindsTheOneFreePortWhereverItBegins) {
  for (uint32_t free = 100; free <= 103; ++free) {
    for (uint32_t begin = 0; begin < 4; ++begin) {
      SocketTable table;
      table.SetAutoPorts(Port(100), Port(103));
      for (uint32_t i = 0; i < begin; ++i) {  // moves where the search begins
        Socket& passing = table.Add(Type::kStream);
        ASSERT_TRUE(table.Bind(passing, kPortAny).ok());
        table.Unbind(passing);
      }
      for (uint32_t port = 100; port <= 103; ++port) {
        if (port != free) Occupy(table, {port});
      }
      Socket& socket = table.Add(Type::kStream);
      ASSERT_TRUE(table.Bind(socket, kPortAny).ok()) << free << begin;
      EXPECT_EQ(socket.port->value(), free);
    }
  }
}

TEST(SocketTableTest, SaysWhenEveryAutomaticPortIsBound) {
  SocketTable table;
  table.SetAutoPorts(Port(100), Port(103));
  Occupy(table, {100, 101, 102, 103});

  EXPECT_EQ(ErrnoOf(table.Bind(table.Add(Type::kStream), kPortAny)),
            "EADDRINUSE");
  EXPECT_EQ(ErrnoOf(table.Bind(table.Add(Type::kDgram), kPortAny)), "OK");
}

TEST(SocketTableTest, AutomaticPortsGoRoundBeforeOneIsUsedAgain) {
  SocketTable table;
  table.SetAutoPorts(Port(100), Port(103));
  std::vector<uint32_t> given;
  for (int i = 0; i < 5; ++i) {
    Socket& socket = table.Add(Type::kStream);
    ASSERT_TRUE(table.Bind(socket, kPortAny).ok());
    given.push_back(socket.port->value());
    table.Unbind(socket);
  }

  EXPECT_EQ(given, (std::vector<uint32_t>{100, 101, 102, 103, 100}));
}

TEST(SocketTableTest, FlowIsHeldByOneSocket) {
  SocketTable table;
  Socket& first = table.Add(Type::kStream);
  Socket& second = table.Add(Type::kStream);

  EXPECT_EQ(ErrnoOf(table.Connect(first, Port(10), kRemote)), "OK");
  EXPECT_EQ(ErrnoOf(table.Connect(second, Port(10), kRemote)), "EADDRINUSE");
  EXPECT_EQ(ErrnoOf(table.Connect(second, Port(11), kRemote)), "OK");
  EXPECT_EQ(table.FindConnected(Port(10), kRemote), &first);
  EXPECT_EQ(table.FindConnected(Port(11), kRemote), &second);
  EXPECT_EQ(table.FindConnected(Port(10), {kCidHost, Port(501)}), nullptr);
  EXPECT_EQ(table.FindConnected(Port(10), {Cid(9), Port(500)}), nullptr);
}

TEST(SocketTableTest, FlowIsFreedOnlyByWhoHoldsIt) {
  SocketTable table;
  Socket& holder = table.Add(Type::kStream);
  ASSERT_TRUE(table.Connect(holder, Port(10), kRemote).ok());
  Socket& other = table.Add(Type::kStream);
  other.port = Port(10);
  other.peer = kRemote;

  table.Disconnect(other);
  EXPECT_EQ(table.FindConnected(Port(10), kRemote), &holder);
  table.Disconnect(holder);
  EXPECT_EQ(table.FindConnected(Port(10), kRemote), nullptr);
}

TEST(SocketTableTest, VisitsEachSocketOnceInAnOrderThatDoesNotChange) {
  SocketTable table;
  std::vector<SocketId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(table.Add(Type::kStream).id);
  table.Remove(ids[1]);

  std::vector<SocketId> seen;
  table.ForEach([&](Socket& socket) { seen.push_back(socket.id); });

  EXPECT_EQ(seen, (std::vector<SocketId>{ids[0], ids[2], ids[3], ids[4]}));
}

}  // namespace
}  // namespace vsock
