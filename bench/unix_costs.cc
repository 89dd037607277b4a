#include "bench/unix_costs.h"

#include <sys/socket.h>

#include <algorithm>

#include "bench/unix_phases.h"

namespace bench {
namespace {

constexpr uint32_t kManyBuffers = 200;
constexpr uint32_t kSetBytes = 256 << 10;  // under way in a phase

UnixPhaseNanos Messages(uint32_t bytes) {
  return MeasureUnixPhases(
      {.type = SOCK_STREAM,
       .message_bytes = bytes,
       .messages = std::min(kManyBuffers, kSetBytes / bytes),
       .read_bytes = bytes});
}

UnixPhaseSet MeasurePhases() {
  const UnixPhaseNanos one = Messages(1);
  const UnixPhaseNanos batch = MeasureUnixPhases({.type = SOCK_STREAM,
                                                  .message_bytes = 1,
                                                  .messages = kManyBuffers,
                                                  .read_bytes = kManyBuffers});
  const UnixPhaseNanos page = Messages(4096);
  const UnixPhaseNanos run = Messages(32768);
  return {.write_byte = one.write,
          .read_byte = one.read,
          .read_byte_of_200 = batch.read,
          .write_4096 = page.write,
          .read_4096 = page.read,
          .write_32768 = run.write,
          .read_32768 = run.read};
}

void Add(double value, std::vector<double>& values) {
  values.push_back(std::max(value, 0.0));
}

}  // namespace

void AddCosts(const UnixPhaseSet& phases, UnixCosts& costs) {
  // 200 r200 = call + 200 receive; r1 = call + receive.
  const double call =
      (phases.read_byte - phases.read_byte_of_200) / (1 - 1.0 / kManyBuffers);
  const double in = (phases.write_32768 - phases.write_4096) / (32768 - 4096);
  const double out = (phases.read_32768 - phases.read_4096) / (32768 - 4096);
  const double paged = phases.write_4096 + phases.read_4096 - 4096 * (in + out);
  Add(call, costs.call);
  Add(phases.write_byte - call, costs.allocation);
  Add(phases.read_byte - call, costs.receive);
  Add(paged - phases.write_byte - phases.read_byte, costs.pages);
  Add(in * 1000, costs.copy_in);
  Add(out * 1000, costs.copy_out);
}

UnixCosts MeasureUnixCosts(uint32_t repetitions) {
  UnixCosts costs;
  for (uint32_t i = 0; i < repetitions; ++i) AddCosts(MeasurePhases(), costs);
  return costs;
}

}  // namespace bench
