#include "sim/validation/probes.h"

#include <utility>

#include "sim/validation/capture_probes.h"
#include "sim/validation/nbd_probes.h"
#include "sim/validation/peer_probes.h"
#include "sim/validation/ring_probes.h"
#include "sim/validation/vsock_probes.h"

namespace sim {

std::vector<Probe> AllProbes() {
  std::vector<Probe> probes = {
      NotificationRegimes(), RecordedPackets(),         DatagramsInFlight(),
      Fairness2023(),        DatagramsAgainstUdp2023(), StreamThroughput2019(),
      TapFrames2024()};
  for (Probe& probe : NbdProbes()) probes.push_back(std::move(probe));
  return probes;
}

}  // namespace sim
