// interrupt.h: Ctrl-C asks the runs to end, once; the second one ends the
// program.

#ifndef SIM_INTERRUPT_H_
#define SIM_INTERRUPT_H_

#include <atomic>

namespace sim {

// From now on SIGINT sets the flag that is returned.
const std::atomic<bool>& StopOnInterrupt();

}  // namespace sim

#endif  // SIM_INTERRUPT_H_
