// Tries tests/virtqueue/rendezvous.h: a deadlock detector that finds none in
// any run has to be seen to find one.

#include "tests/virtqueue/rendezvous.h"

#include <thread>

#include "gtest/gtest.h"

namespace {

TEST(RendezvousTest, FindsTheDeadlockIfBothSleepUnrung) {
  Rendezvous rendezvous;
  bool device_woken = true;
  std::thread device(
      [&] { device_woken = rendezvous.Sleep(Rendezvous::kDevice); });

  const bool driver_woken = rendezvous.Sleep(Rendezvous::kDriver);
  device.join();

  EXPECT_FALSE(driver_woken);
  EXPECT_FALSE(device_woken);
  EXPECT_TRUE(rendezvous.deadlock());
}

TEST(RendezvousTest, FindsTheDeadlockIfOneSleepsAndTheOtherLeaves) {
  Rendezvous rendezvous;
  std::thread device([&] { rendezvous.Sleep(Rendezvous::kDevice); });

  rendezvous.Leave(Rendezvous::kDriver);
  device.join();

  EXPECT_TRUE(rendezvous.deadlock());
}

TEST(RendezvousTest, FindsNoneIfTheBellRangBeforeTheSleep) {
  Rendezvous rendezvous;
  rendezvous.Ring(Rendezvous::kDriver);

  EXPECT_TRUE(rendezvous.Sleep(Rendezvous::kDriver));
  rendezvous.Leave(Rendezvous::kDevice);
  rendezvous.Leave(Rendezvous::kDriver);
  EXPECT_FALSE(rendezvous.deadlock());
}

}  // namespace
