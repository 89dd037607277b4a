// calibration.h: the costs of this machine, as a platform file states them.
//
// Only what a program can measure without a virtual machine is measured; what
// a kick or a vhost worker costs stays as another platform has it.

#ifndef BENCH_CALIBRATION_H_
#define BENCH_CALIBRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "bench/spread.h"
#include "sim/platform.pb.h"

namespace bench {

struct Figure {
  std::string cost;  // its name in sim/platform.proto; none: only to be shown
  std::string what;
  sim::Cost::Unit unit = sim::Cost::NANOSECONDS;
  Spread spread;
};

// Measures everything; says before each step what it is about to do.
std::vector<Figure> Calibrate(
    uint32_t repetitions,
    const std::function<void(absl::string_view)>& progress);

// Where and when figures were taken, for their sources.
struct Occasion {
  std::string machine;  // the processor's model
  std::string date;
};

// `base` with the figures in place of its own, named "calibrated". Figures
// without a cost stay out.
sim::Platform CalibratedPlatform(sim::Platform base,
                                 const std::vector<Figure>& figures,
                                 const Occasion& occasion);

// The file: a head that says what it is, and the platform.
std::string PlatformText(const sim::Platform& platform);

// All figures, for people.
std::string FiguresTable(const std::vector<Figure>& figures);

}  // namespace bench

#endif  // BENCH_CALIBRATION_H_
