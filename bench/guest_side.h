// guest_side.h: a guest's workers, run one step at a time.
//
// Every verb returns the bells to ring for the device. One thread at a time;
// the host's side may be on another.

#ifndef BENCH_GUEST_SIDE_H_
#define BENCH_GUEST_SIDE_H_

#include <cstdint>

#include "bench/bells.h"
#include "vsock/effects.h"
#include "vsock/guest.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace bench {

class GuestSide {
 public:
  explicit GuestSide(vsock::Guest& guest) : guest_(guest) {}

  // Interrupts have come.
  void OnBells(uint32_t bells) {
    reclaim_ |= (bells & kTxBell) != 0;
    receive_ |= (bells & kRxBell) != 0;
  }

  // After anything that may have put packets on the send list.
  uint32_t Submit() { return Note(guest_.driver().Submit()); }

  // One step of each worker that has something to do.
  uint32_t Step(vsock::Instant now) {
    uint32_t bells = 0;
    if (reclaim_) {
      reclaim_ = false;
      bells |= Note(guest_.driver().ReclaimStep());
    }
    if (send_) {
      send_ = false;
      bells |= Note(guest_.driver().SendStep(), send_);
    }
    if (receive_) {
      receive_ = false;
      bells |= Note(guest_.driver().RxStep(now), receive_);
    }
    return bells;
  }
  bool busy() const { return reclaim_ || send_ || receive_; }

  vsock::Transport& sockets() { return guest_.transport(); }
  const vsock::Work& work() const { return work_; }

 private:
  uint32_t Note(const vsock::Effects& effects, bool& worker) {
    worker |= effects.more;
    return Note(effects);
  }
  uint32_t Note(const vsock::Effects& effects) {
    work_ += effects.work;
    send_ |= effects.run_send_work;
    receive_ |= effects.run_rx_work;
    return Bells(effects.kick_tx, effects.kick_rx);
  }

  vsock::Guest& guest_;
  vsock::Work work_;
  bool reclaim_ = false;
  bool send_ = false;
  bool receive_ = false;
};

}  // namespace bench

#endif  // BENCH_GUEST_SIDE_H_
