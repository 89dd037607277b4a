// host_side.h: the worker of one device, run one step at a time.
//
// Every verb returns the bells to ring for the driver. One thread at a time;
// the guest's side may be on another.

#ifndef BENCH_HOST_SIDE_H_
#define BENCH_HOST_SIDE_H_

#include <cstdint>

#include "bench/bells.h"
#include "vsock/device.h"
#include "vsock/effects.h"
#include "vsock/host.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace bench {

class HostSide {
 public:
  HostSide(vsock::Host& host, vsock::Device& device)
      : host_(host), device_(device) {}

  // Kicks have come.
  void OnBells(uint32_t bells) {
    if ((bells & kTxBell) != 0) busy_ |= device_.OnTxKick();
    if ((bells & kRxBell) != 0) busy_ |= device_.OnRxKick();
  }

  // After anything that may have put packets on the send list.
  uint32_t Submit() {
    busy_ |= device_.Submit();
    return 0;
  }

  // One step of the worker, if it has something to do.
  uint32_t Step(vsock::Instant now) {
    if (!busy_) return 0;
    const vsock::Effects effects = device_.Step(now);
    work_ += effects.work;
    busy_ = effects.more;
    return Bells(effects.interrupt_tx, effects.interrupt_rx);
  }
  bool busy() const { return busy_; }

  vsock::Transport& sockets() { return host_.transport(); }
  const vsock::Work& work() const { return work_; }

 private:
  vsock::Host& host_;
  vsock::Device& device_;
  vsock::Work work_;
  bool busy_ = false;
};

}  // namespace bench

#endif  // BENCH_HOST_SIDE_H_
