// Losses are counted by cause, in packets and bytes.

#include "vsock/drop.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "vsock/hdr.h"

namespace vsock {
namespace {

VsockHdr Datagram(uint32_t len) {
  VsockHdr hdr;
  hdr.set(Type::kDgram, Op::kRw);
  hdr.set_source({Cid(3), Port(7)});
  hdr.set_destination({kCidHost, Port(8)});
  hdr.len = len;
  return hdr;
}

TEST(DropCountersTest, CountPacketsAndBytesForEachCause) {
  DropCounters drops;
  drops.Add(DropReason::kNoSocket, 100);
  drops.Add(DropReason::kNoSocket, 50);
  drops.Add(DropReason::kMalformed, 0);

  EXPECT_EQ(drops[DropReason::kNoSocket].packets, 2u);
  EXPECT_EQ(drops[DropReason::kNoSocket].bytes, 150u);
  EXPECT_EQ(drops[DropReason::kMalformed].packets, 1u);
  EXPECT_EQ(drops[DropReason::kReceiveBufferFull].packets, 0u);
  EXPECT_EQ(drops.total().packets, 3u);
  EXPECT_EQ(drops.total().bytes, 150u);
}

TEST(DropReasonTest, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (size_t i = 0; i < kDropReasons; ++i) {
    names.insert(std::string(DropReasonName(static_cast<DropReason>(i))));
  }

  EXPECT_EQ(names.size(), kDropReasons);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_EQ(names.count("receive_buffer_full"), 1u);
}

TEST(LossLogTest, KeepsSingleLossesOnlyOnceToldTo) {
  LossLog log;
  log.Add(DropReason::kNoSocket, Datagram(10));
  EXPECT_TRUE(log.recent().empty());

  log.Record();
  log.Add(DropReason::kNoSocket, Datagram(20));

  ASSERT_EQ(log.recent().size(), 1u);
  const Loss& loss = log.recent()[0];
  EXPECT_EQ(loss.reason, DropReason::kNoSocket);
  EXPECT_EQ(loss.type, Type::kDgram);
  EXPECT_EQ(loss.source, (Address{Cid(3), Port(7)}));
  EXPECT_EQ(loss.destination, (Address{kCidHost, Port(8)}));
  EXPECT_EQ(loss.bytes, 20u);
  EXPECT_EQ(log.counters()[DropReason::kNoSocket].packets, 2u);
}

}  // namespace
}  // namespace vsock
