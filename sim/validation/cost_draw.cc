#include "sim/validation/cost_draw.h"

#include <cstdint>
#include <string>

#include "sim/costs.h"
#include "vsock/units.h"

namespace sim {
namespace {

// Finer than the unit, so that a narrow range is not a few steps.
constexpr int64_t kScale = 1000;

}  // namespace

Platform DrawCosts(const Platform& platform, const Random& random) {
  Platform drawn = platform;
  for (const std::string& name : CostNames()) {
    Cost& cost = MutableCostOf(drawn, name);
    Random stream = random.Fork(name);
    const vsock::Nanos value = stream.Triangular(
        vsock::Nanos(cost.low() * kScale), vsock::Nanos(cost.mode() * kScale),
        vsock::Nanos(cost.high() * kScale));
    cost.set_mode(static_cast<uint32_t>((value.value() + kScale / 2) / kScale));
  }
  return drawn;
}

}  // namespace sim
