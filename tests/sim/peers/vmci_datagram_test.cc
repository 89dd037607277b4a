// Tries sim/peers/vmci_datagram.h against struct vmci_datagram of Linux
// include/linux/vmw_vmci_defs.h.

#include "sim/peers/vmci_datagram.h"

#include <cstddef>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using ::testing::ElementsAre;
using vsock::Address;
using vsock::Cid;
using vsock::Port;

constexpr Address kGuest{Cid(3), Port(0x01020304)};
constexpr Address kHost{Cid(2), Port(7)};
constexpr std::byte kPayload[] = {std::byte{0xaa}, std::byte{0xbb}};

std::vector<int> AsInts(const std::vector<std::byte>& bytes) {
  std::vector<int> ints;
  for (const std::byte byte : bytes) ints.push_back(static_cast<int>(byte));
  return ints;
}

TEST(VmciDatagramTest, DestinationSourceAndSizeComeBeforeThePayload) {
  EXPECT_THAT(AsInts(MakeVmciDatagram(kGuest, kHost, 2, kPayload)),
              ElementsAre(2, 0, 0, 0, 7, 0, 0, 0,  // dst
                          3, 0, 0, 0, 4, 3, 2, 1,  // src
                          2, 0, 0, 0, 0, 0, 0, 0,  // payload_size
                          0xaa, 0xbb));
}

TEST(VmciDatagramTest, WhatWasMadeIsParsed) {
  const std::vector<std::byte> buffer =
      MakeVmciDatagram(kGuest, kHost, 4096, kPayload);

  const auto view = ParseVmciDatagram(buffer);

  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->from, kGuest);
  EXPECT_EQ(view->to, kHost);
  EXPECT_EQ(view->bytes, 4096u);
  EXPECT_THAT(view->kept, ElementsAre(kPayload[0], kPayload[1]));
}

TEST(VmciDatagramTest, ShortBufferIsRefused) {
  EXPECT_FALSE(ParseVmciDatagram(std::vector<std::byte>(23)).ok());
}

TEST(VmciDatagramTest, SizeAboveTheMostIsRefused) {
  std::vector<std::byte> buffer = MakeVmciDatagram(kGuest, kHost, 69608, {});
  EXPECT_TRUE(ParseVmciDatagram(buffer).ok());
  buffer[16] = static_cast<std::byte>(static_cast<int>(buffer[16]) + 1);

  EXPECT_FALSE(ParseVmciDatagram(buffer).ok());
}

TEST(VmciDatagramTest, PayloadLongerThanItsSizeIsRefused) {
  std::vector<std::byte> buffer = MakeVmciDatagram(kGuest, kHost, 2, kPayload);
  buffer.push_back(std::byte{0});

  EXPECT_FALSE(ParseVmciDatagram(buffer).ok());
}

}  // namespace
}  // namespace sim
