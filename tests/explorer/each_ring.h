// each_ring.h: tests on either ring, with flags and with the event index.

#ifndef TESTS_EXPLORER_EACH_RING_H_
#define TESTS_EXPLORER_EACH_RING_H_

#include <string>
#include <tuple>

#include "gtest/gtest.h"
#include "tests/explorer/scene.h"
#include "virtqueue/ring_format.h"

namespace virtqueue {

class EachRing : public testing::TestWithParam<
                     std::tuple<RingFormat, /*event_idx*/ bool>> {
 public:
  static auto All() {
    return testing::Combine(
        testing::Values(RingFormat::kSplit, RingFormat::kPacked),
        testing::Bool());
  }

  static std::string Name(const testing::TestParamInfo<ParamType>& test) {
    const auto& [format, event_idx] = test.param;
    return std::string(format == RingFormat::kPacked ? "Packed" : "Split") +
           (event_idx ? "EventIdx" : "Flags");
  }

 protected:
  Scene OnRing(Scene scene) const {
    scene.format = std::get<RingFormat>(GetParam());
    scene.event_idx = event_idx();
    return scene;
  }

  bool packed() const {
    return std::get<RingFormat>(GetParam()) == RingFormat::kPacked;
  }
  bool event_idx() const { return std::get<bool>(GetParam()); }
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_EACH_RING_H_
