// No order of driver and device loses a notification, nor does a half read what
// was not written yet: flags, and event index, on either ring.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 5'000'000;

constexpr RingFormat kFormats[] = {RingFormat::kSplit, RingFormat::kPacked};

// `scene` on either ring, with flags and with the event index.
std::vector<Scene> OnEachRing(Scene scene) {
  std::vector<Scene> scenes;
  for (const RingFormat format : kFormats) {
    for (const bool event_idx : {false, true}) {
      scene.format = format;
      scene.event_idx = event_idx;
      scenes.push_back(scene);
    }
  }
  return scenes;
}

std::vector<Scene> AllScenes() {
  std::vector<Scene> all;
  const auto add = [&all](const Scene& scene) {
    for (const Scene& on_ring : OnEachRing(scene)) all.push_back(on_ring);
  };
  add({.buffers = 2});
  add({.buffers = 3, .batch = 2});
  add({.size = 4, .buffers = 4, .batch = 4});
  add({.size = 4, .shape = Shape::kBoth, .buffers = 2, .batch = 2});
  add({.shape = Shape::kRequest, .buffers = 2, .batch = 2});
  add({.buffers = 3, .batch = 2, .delayed = true});
  add({.size = 4, .buffers = 3, .batch = 3, .delayed = true});
  add({.buffers = 2, .polling = true});
  add({.buffers = 2, .in_order = true});
  add({.buffers = 3, .batch = 2, .in_order = true});
  add({.size = 4, .buffers = 4, .batch = 4, .in_order = true});
  add({.shape = Shape::kBoth, .buffers = 2, .indirect = true});
  add({.shape = Shape::kBoth,
       .buffers = 3,
       .batch = 2,
       .in_order = true,
       .indirect = true});
  for (const bool event_idx : {false, true}) {
    all.push_back({.event_idx = event_idx, .buffers = 2, .before = 65535});
    all.push_back(
        {.event_idx = event_idx, .size = 4, .buffers = 4, .batch = 2});
    all.push_back({.format = RingFormat::kPacked,
                   .event_idx = event_idx,
                   .size = 3,
                   .buffers = 3,
                   .batch = 3,
                   .before = 2});
    all.push_back({.format = RingFormat::kPacked,
                   .event_idx = event_idx,
                   .size = 1,
                   .buffers = 2});
  }
  return all;
}

class InterleavingsTest : public testing::TestWithParam<Scene> {};

TEST_P(InterleavingsTest, NoneLosesANotificationOrReadsTooEarly) {
  const Report report = Explore(GetParam(), std::nullopt, kMostStates);

  std::fputs(report.text.c_str(), stdout);
  EXPECT_EQ(report.outcome, Explorer::Outcome::kSound) << report.text;
}

INSTANTIATE_TEST_SUITE_P(Scenes, InterleavingsTest,
                         testing::ValuesIn(AllScenes()), [](const auto& test) {
                           return absl::StrCat("Scene", test.index);
                         });

}  // namespace
}  // namespace virtqueue
