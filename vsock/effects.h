// effects.h: what a step owes to the world.
//
// The model calls nobody back. A step moves packets and returns whom its
// harness must notify or run, with the ledger of what was done.

#ifndef VSOCK_EFFECTS_H_
#define VSOCK_EFFECTS_H_

#include "vsock/work.h"

namespace vsock {

struct [[nodiscard]] Effects {
  Work work;
  // Available buffer notifications owed to the device, 2.7.10.
  bool kick_tx = false;
  bool kick_rx = false;
  // Used buffer notifications owed to the driver, 2.7.7.
  bool interrupt_tx = false;
  bool interrupt_rx = false;
  bool run_send_work = false;  // the driver's send worker has something to do
  bool run_rx_work = false;    // the driver's rx worker may go on
  bool more = false;           // this worker has more to do: step again

  Effects& operator+=(const Effects& other) {
    work += other.work;
    kick_tx |= other.kick_tx;
    kick_rx |= other.kick_rx;
    interrupt_tx |= other.interrupt_tx;
    interrupt_rx |= other.interrupt_rx;
    run_send_work |= other.run_send_work;
    run_rx_work |= other.run_rx_work;
    more |= other.more;
    return *this;
  }
};

}  // namespace vsock

#endif  // VSOCK_EFFECTS_H_
