// The shortest schedules that lose a notification without the full barrier
// between an index and the other's wish, word for word: cloud-hypervisor pull
// requests 897 and 2179, spdk issue 3178. Written anew by
//
//   ./bazelw run //tests/explorer:explore -- --event_idx [--ring=packed]
//       --without=<site> >tests/explorer/golden/<file>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMostStates = 1'000'000;

struct Golden {
  RingFormat format;
  std::string site;
  std::string file;
};

class ScheduleTest : public testing::TestWithParam<Golden> {
 protected:
  static std::string Shortest() {
    const Scene scene = {.format = GetParam().format, .event_idx = true};
    for (const Site& site : SitesOf(scene, kMostStates)) {
      if (site.name() != GetParam().site) continue;
      const Weakened weakened = {site, site.Weaker().front()};
      return ExploreFewest(scene, weakened, kMostStates).text;
    }
    return "no such site";
  }

  static std::string Recorded() {
    std::ifstream file("tests/explorer/golden/" + GetParam().file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_P(ScheduleTest, ShortestOneIsAsRecorded) {
  const std::string recorded = Recorded();

  EXPECT_FALSE(recorded.empty());
  EXPECT_EQ(Shortest(), recorded);
}

INSTANTIATE_TEST_SUITE_P(
    Barriers, ScheduleTest,
    testing::Values(Golden{RingFormat::kSplit, "driver.store.avail_idx.seq_cst",
                           "split_driver.txt"},
                    Golden{RingFormat::kSplit, "device.store.used_idx.seq_cst",
                           "split_device.txt"},
                    Golden{RingFormat::kPacked, "driver.store.desc.seq_cst",
                           "packed_driver.txt"},
                    Golden{RingFormat::kPacked, "device.store.desc.seq_cst",
                           "packed_device.txt"}),
    [](const auto& test) {
      return test.param.file == "split_driver.txt"    ? "SplitDriver"
             : test.param.file == "split_device.txt"  ? "SplitDevice"
             : test.param.file == "packed_driver.txt" ? "PackedDriver"
                                                      : "PackedDevice";
    });

}  // namespace
}  // namespace virtqueue
