#include "sim/validation/probes.h"

#include "sim/validation/capture_probes.h"
#include "sim/validation/ring_probes.h"
#include "sim/validation/vsock_probes.h"

namespace sim {

std::vector<Probe> AllProbes() {
  return {NotificationRegimes(), RecordedPackets(), DatagramsInFlight(),
          Fairness2023(), StreamThroughput2019()};
}

}  // namespace sim
