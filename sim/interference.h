// interference.h: bursts of other work on a host processor.
//
// Gaps and lengths are exponential. A burst takes its time from whatever runs
// there; nobody in the model is asked.

#ifndef SIM_INTERFERENCE_H_
#define SIM_INTERFERENCE_H_

#include <string>
#include <utility>

#include "sim/actor.h"
#include "sim/processors.h"
#include "sim/random.h"
#include "vsock/units.h"

namespace sim {

class Interference final : public Actor {
 public:
  struct Means {
    vsock::Nanos gap;
    vsock::Nanos length;
  };

  Interference(EventLoop& loop, Processors& processors, uint32_t processor,
               Random random, Means means)
      : Actor(loop, processors.name() + ".interference"),
        processors_(processors),
        processor_(processor),
        random_(std::move(random)),
        means_(means) {
    WakeAt(loop.now() + random_.Exponential(means_.gap));
  }

  void OnWake(vsock::Instant now) override {
    const vsock::Nanos length = random_.Exponential(means_.length);
    processors_.Interrupt(processor_, length);
    WakeAt(now + length + random_.Exponential(means_.gap));
  }

 private:
  Processors& processors_;
  const uint32_t processor_;
  Random random_;
  const Means means_;
};

}  // namespace sim

#endif  // SIM_INTERFERENCE_H_
