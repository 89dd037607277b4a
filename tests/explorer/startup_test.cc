// A kick that comes before the queue is enabled, in every order of {kick,
// enable, add buffers}: rust-vmm/vhost issue 247, 2024. Notifications of before
// are gone once the queue is enabled, as those of a vhost-user device may be.

#include <cstdint>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 1'000'000;

class StartupTest : public testing::TestWithParam<RingFormat> {
 protected:
  Report Start(DeviceStart start) const {
    return Explore(
        {.format = GetParam(), .event_idx = true, .buffers = 2, .start = start},
        std::nullopt, kMostStates);
  }
};

TEST_P(StartupTest, DeviceThatLooksOnceEnabledNeedsNoKickOfBefore) {
  const Report report = Start(DeviceStart::kEnabled);

  EXPECT_EQ(report.outcome, Explorer::Outcome::kSound) << report.text;
}

TEST_P(StartupTest, DeviceThatWaitsForAKickOnceEnabledMissesTheOneOfBefore) {
  const Report report = Start(DeviceStart::kWaiting);

  EXPECT_EQ(report.outcome, Explorer::Outcome::kLost);
  EXPECT_THAT(report.text,
              testing::ContainsRegex("driver notifies the device\n"
                                     "(.*\n)* *[0-9]+ device is enabled\n"));
  EXPECT_THAT(report.text,
              testing::HasSubstr("the available buffer notification is lost"));
}

INSTANTIATE_TEST_SUITE_P(Formats, StartupTest,
                         testing::Values(RingFormat::kSplit,
                                         RingFormat::kPacked),
                         [](const auto& test) {
                           return test.param == RingFormat::kPacked ? "Packed"
                                                                    : "Split";
                         });

}  // namespace
}  // namespace virtqueue
