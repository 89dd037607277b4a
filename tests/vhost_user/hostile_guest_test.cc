// A guest, or a front end, that does what it must not: it loses what it broke,
// hears why, and the device lives on.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/vhost_user/test_guest.h"
#include "tests/vhost_user/world.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "vsock/driver.h"
#include "vsock/drop.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using virtqueue::GuestAddr;

class HostileTest : public ::testing::Test {
 protected:
  HostileTest() { world_.Start(); }

  // A guest that does as it should is served as ever.
  void ExpectService() {
    const SocketId socket = world_.Connect(1000);
    world_.Send(socket, Pattern(100));
    EXPECT_EQ(world_.Read(socket, 100), Pattern(100));
  }
  void SetUpAnew() {
    world_.StopRings();
    world_.guest().Boot();
    world_.guest().SendRings(world_.guest().BeginOfRings());
  }

  World world_{{.services = "echo:1000"}};
};

// Rings.

class HostileRingTest : public HostileTest {
 protected:
  template <typename T>
  void Poke(GuestAddr at, T value) {
    std::memcpy(world_.guest().Memory(at, sizeof(T)).data(), &value, sizeof(T));
  }
  const virtqueue::SplitRingAddrs& Tx() {
    return std::get<virtqueue::SplitRingAddrs>(
        world_.guest().driver().layout().tx);
  }
  // A chain out of the lawful driver's turn, of descriptor 100.
  void OfferTx(uint64_t addr, uint32_t len, uint16_t flags) {
    Poke(Tx().desc + 1600, addr);
    Poke(Tx().desc + 1608, len);
    Poke(Tx().desc + 1612, flags);
    Poke(Tx().avail + 4, uint16_t{100});
    Poke(Tx().avail + 2, uint16_t{1});
    world_.guest().Kick(kTxQueue);
    world_.Settle();
  }
};

TEST_F(HostileRingTest, OfAnAddressOutsideOfMemoryStops) {
  OfferTx(0xffff'ffff'0000, 44, 0);

  EXPECT_EQ(world_.Count().ring_faults, 1u);
  EXPECT_THAT(world_.log(), Contains(HasSubstr("2.7.5: ")));
  EXPECT_TRUE(world_.guest().WasToldOfError(kTxQueue));
  EXPECT_FALSE(world_.guest().WasToldOfError(kRxQueue));
}

TEST_F(HostileRingTest, IsReportedOnceHoweverOftenItIsKicked) {
  OfferTx(0xffff'ffff'0000, 44, 0);

  for (int i = 0; i < 10; ++i) {
    world_.guest().Kick(kTxQueue);
    world_.Settle();
  }

  EXPECT_EQ(world_.Count().ring_faults, 1u);
  EXPECT_THAT(world_.log(), SizeIs(1));
}

TEST_F(HostileRingTest, WorksAgainOnceItIsSetUpAnew) {
  OfferTx(0, 44, virtqueue::kDescIndirect | virtqueue::kDescNext);
  ASSERT_EQ(world_.Count().ring_faults, 1u);

  SetUpAnew();

  ExpectService();
}

TEST_F(HostileRingTest, AtAnOddAddressIsRefused) {
  world_.StopRings();
  TestGuest& guest = world_.guest();
  const auto user =
      reinterpret_cast<uintptr_t>(guest.Memory(GuestAddr(0x10000), 1).data());
  for (const uint32_t ring : {0, 1}) {
    guest.Send(Request::kSetVringAddr,
               VringAddr{ring, 0, user + 1, user + 4096, user + 8192, 0});
    guest.Send(Request::kSetVringKick, VringFile{ring, false});
  }
  world_.Settle();

  EXPECT_FALSE(guest.HungUp());
  EXPECT_EQ(world_.Count().ring_faults, 1u);
  guest.Boot();
  guest.SendRings(guest.BeginOfRings());
  ExpectService();
}

TEST_F(HostileRingTest, WithoutVersion1IsRefused) {
  world_.StopRings();
  world_.guest().Send(Request::kSetFeatures, uint64_t{1} << 30);
  world_.guest().SendRings(world_.guest().BeginOfRings());
  world_.Settle();

  EXPECT_EQ(world_.Count().ring_faults, 1u);
  EXPECT_THAT(world_.log(), Contains(HasSubstr("6.1: ")));
}

// Connections. The guest's own headers are changed on their way.

class HostileConnectionTest : public HostileRingTest {
 protected:
  // Places a packet of the guest's on the tx ring beside the lawful driver's.
  void SendHeader(const VsockHdr& hdr) {
    const GuestAddr at = Tx().desc + 1600 + 4096 * 16;
    std::memcpy(world_.guest().Memory(at, kHdrBytes).data(), &hdr, kHdrBytes);
    OfferTx(at.value(), kHdrBytes, 0);
  }
  VsockHdr Header(Op op, uint32_t fwd_cnt) {
    VsockHdr hdr;
    hdr.set_source({Cid(3), Port(77)});
    hdr.set_destination({kCidHost, Port(1000)});
    hdr.set(Type::kStream, op);
    hdr.buf_alloc = 262144;
    hdr.fwd_cnt = fwd_cnt;
    return hdr;
  }
  uint64_t ResetsSent() {
    return world_.Count().packets.sent[static_cast<size_t>(Op::kRst)];
  }
};

TEST_F(HostileConnectionTest, IsResetForConsumingWhatWasNotSent) {
  SendHeader(Header(Op::kRequest, /*fwd_cnt=*/1));

  EXPECT_EQ(world_.Count().connection_faults, 1u);
  EXPECT_EQ(ResetsSent(), 1u);
  EXPECT_THAT(world_.log(), Contains(HasSubstr("5.10.6.3: ")));
  EXPECT_EQ(world_.Count().property_breaches, 0u);
}

TEST_F(HostileConnectionTest, IsNotResetForWhatIsLawful) {
  SendHeader(Header(Op::kRequest, /*fwd_cnt=*/0));

  EXPECT_EQ(world_.Count().connection_faults, 0u);
  EXPECT_EQ(ResetsSent(), 0u);
}

TEST_F(HostileConnectionTest, IsDroppedForAnotherContextId) {
  VsockHdr hdr = Header(Op::kRequest, 0);
  hdr.src_cid = 4;

  SendHeader(hdr);

  EXPECT_EQ(
      world_.Count().drops[static_cast<size_t>(DropReason::kWrongCid)].packets,
      1u);
}

// Messages.

struct BadMessage {
  const char* name;
  std::function<void(TestGuest&)> send;
  const char* fault;
};

std::vector<std::byte> Raw(const std::vector<uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

const BadMessage kBadMessages[] = {
    {"AnotherVersion",
     [](TestGuest& g) {
       g.Write(Raw({1, 2, 0}));
     },
     "GET_FEATURES: not version 1"},
    {"PayloadBeyondAll",
     [](TestGuest& g) {
       g.Write(Raw({5, 1, 0x7fffffff}));
     },
     "SET_MEM_TABLE: payload of 2147483647 bytes"},
    {"UnknownRequest",
     [](TestGuest& g) {
       g.Write(Raw({77, 1, 0}));
     },
     "request 77"},
    {"WrongLength",
     [](TestGuest& g) {
       g.Write(Raw({8, 1, 4, 0}));
     },
     "SET_VRING_NUM: payload of 4 bytes instead of 8"},
    {"MissingFile",
     [](TestGuest& g) {
       g.Send(Request::kSetVringKick, VringFile{0, true});
     },
     "SET_VRING_KICK: 0 file descriptors instead of 1"},
    {"SurplusFile",
     [](TestGuest& g) { g.Send(Request::kGetFeatures, {}, {0}); },
     "GET_FEATURES: 1 file descriptors instead of 0"},
    {"MoreFilesThanAnyMessageHas",
     [](TestGuest& g) {
       g.Write(Raw({1, 1, 0}), {0, 0, 0, 0, 0, 0, 0, 0, 0});
     },
     "more file descriptors than any message has"},
    {"NoSuchRing",
     [](TestGuest& g) {
       g.Send(Request::kSetVringNum, VringState{2, 8});
     },
     "SET_VRING_NUM: ring 2 of 2"},
    {"RegionBeyondItsFile",
     [](TestGuest& g) {
       g.Send(Request::kSetMemTable, MemoryTable{{0, uint64_t{1} << 40, 0, 0}},
              {g.memory_file()});
     },
     "the file is shorter than the region"},
    {"RegionOfNoBytes",
     [](TestGuest& g) {
       g.Send(Request::kSetMemTable, MemoryTable{{0, 0, 0, 4096}},
              {g.memory_file()});
     },
     "has no bytes"},
    {"RegionsThatOverlap",
     [](TestGuest& g) {
       g.Send(Request::kSetMemTable,
              MemoryTable{{0, 8192, 0, 0}, {4096, 8192, 8192, 0}},
              {g.memory_file(), g.memory_file()});
     },
     "overlap"},
    {"ChangeOfARingThatRuns",
     [](TestGuest& g) {
       g.Send(Request::kSetVringBase, VringState{0, 5});
     },
     "SET_VRING_BASE: the ring runs"},
    {"FeatureThatWasNotOffered",
     [](TestGuest& g) { g.Send(Request::kSetFeatures, uint64_t{1} << 33); },
     "SET_FEATURES: 0x200000000 was not offered"},
    {"KickThatIsNoEvent",
     [](TestGuest& g) {
       g.Send(Request::kSetVringKick, VringFile{0, true}, {g.memory_file()});
     },
     "a file that can't be waited for"},
};

class HostileMessageTest : public HostileTest,
                           public ::testing::WithParamInterface<BadMessage> {};

TEST_P(HostileMessageTest, EndsItsConnectionAndNothingElse) {
  GetParam().send(world_.guest());

  EXPECT_TRUE(world_.RunUntil([&] { return world_.guest().HungUp(); }));
  EXPECT_EQ(world_.Count().front_end_faults, 1u);
  EXPECT_THAT(world_.log(), Contains(HasSubstr(GetParam().fault)));
  world_.guest().Boot();
  world_.guest().Connect(world_.Path("device"));
  world_.guest().SendSetUp();
  ExpectService();
}

INSTANTIATE_TEST_SUITE_P(Every, HostileMessageTest,
                         ::testing::ValuesIn(kBadMessages),
                         [](const ::testing::TestParamInfo<BadMessage>& bad) {
                           return std::string(bad.param.name);
                         });

TEST_F(HostileTest, MessageCutShortEndsItsConnection) {
  world_.guest().Write(Raw({2, 1, 8, 0}));
  world_.Settle();
  EXPECT_EQ(world_.Count().front_end_faults, 0u);

  world_.guest().Disconnect();
  world_.Settle();

  EXPECT_THAT(world_.log(), Contains(HasSubstr("a message cut short")));
}

TEST_F(HostileTest, MessageMayComeInPieces) {
  const std::vector<std::byte> message =
      EncodeRequest(Request::kGetQueueNum, 0, {});

  for (const std::byte& piece : message) {
    world_.guest().Write({&piece, 1});
    world_.Settle();
  }

  EXPECT_THAT(world_.Answer(), SizeIs(8));
}

TEST_F(HostileTest, SecondFrontEndWaitsForTheFirst) {
  TestGuest second{TestGuest::Options()};
  second.Connect(world_.Path("device"));
  second.Send(Request::kGetFeatures);
  world_.Settle();
  EXPECT_EQ(second.Answer(), std::nullopt);

  world_.guest().Disconnect();
  world_.Settle();

  EXPECT_NE(second.Answer(), std::nullopt);
}

}  // namespace
}  // namespace vsock::vhost_user
