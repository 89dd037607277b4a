// Tries sim/peers/datagram_ledger.h: a datagram is settled once.

#include "sim/peers/datagram_ledger.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Port;

TEST(DatagramLedgerTest, DatagramIsDeliveredOnlyIfNoFrameWasDropped) {
  // With each frame lost with probability p, that is (1 - p)^3.
  for (unsigned dropped = 0; dropped < 8; ++dropped) {
    DatagramLedger ledger;
    const uint16_t id = *ledger.Begin(Port(1), 4096, 3);
    uint32_t losses = 0;
    for (unsigned i = 0; i < 3; ++i) {
      const bool drop = ((dropped >> i) & 1) != 0;
      const auto loss = drop ? ledger.OnDropped(id)
                             : ledger.OnArrived(id, dropped == 0 && i == 2);
      losses += loss.has_value();
    }
    EXPECT_EQ(losses, dropped == 0 ? 0u : 1u) << dropped;
    EXPECT_EQ(ledger.counters().queued, dropped == 0 ? 1u : 0u) << dropped;
    EXPECT_EQ(ledger.live(), 0u);
  }
}

TEST(DatagramLedgerTest, LossNamesTheSenderAndThePayload) {
  DatagramLedger ledger;
  const uint16_t id = *ledger.Begin(Port(40000), 4096, 3);

  const auto loss = ledger.OnDropped(id);

  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->source, Port(40000));
  EXPECT_EQ(loss->bytes, 4096u);
}

TEST(DatagramLedgerTest, AllFramesThereButNoDatagramIsALoss) {
  DatagramLedger ledger;
  const uint16_t id = *ledger.Begin(Port(1), 100, 2);

  EXPECT_FALSE(ledger.OnArrived(id, false).has_value());
  EXPECT_TRUE(ledger.OnArrived(id, false).has_value());
}

TEST(DatagramLedgerTest, IdUnderWayIsNotGivenAgain) {
  DatagramLedger ledger;
  const uint16_t first = *ledger.Begin(Port(1), 1, 1);
  for (uint32_t i = 1; i < 65536; ++i) {
    ledger.OnArrived(*ledger.Begin(Port(1), 1, 1), true);
  }

  EXPECT_NE(*ledger.Begin(Port(1), 1, 1), first);
  EXPECT_EQ(ledger.live(), 2u);
}

TEST(DatagramLedgerTest, NoIdIsLeftWith65536UnderWay) {
  DatagramLedger ledger;
  for (uint32_t i = 0; i < 65536; ++i) {
    ASSERT_TRUE(ledger.Begin(Port(1), 1, 1).has_value());
  }

  EXPECT_FALSE(ledger.Begin(Port(1), 1, 1).has_value());
  EXPECT_EQ(ledger.counters().sent, 65536u);
}

}  // namespace
}  // namespace sim
