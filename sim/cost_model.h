// cost_model.h: what a step costs, from its Work ledger and nothing else.
//
// Figures, ranges and sources: sim/platforms/. Each kind of step pays for the
// columns that stand in its row:
//
//   kind of step        pays for
//   application call    syscalls, allocations, bytes, descriptors, kicks,
//                       wake-ups
//   guest worker        packets, allocations, bytes, descriptors, kicks,
//                       wake-ups
//   vhost worker        packets, allocations, bytes (at its own prices),
//                       interrupts
//   AF_UNIX, writing    syscalls, allocations, bytes, wake-ups, descriptors
//                       (runs of pages)
//   AF_UNIX, reading    syscalls, packets (socket buffers taken), bytes (at
//                       its own price), wake-ups
//   VMCI call           syscalls, allocations, bytes, wake-ups, interrupts,
//                       kicks (hypercalls), packets (the host's part)
//   VMCI tasklet        packets, allocations, bytes, wake-ups
//   UDP call            syscalls, allocations, bytes, descriptors, kicks,
//                       wake-ups, packets (one for each frame)
//   UDP receive         packets (frames through the receiving stack), wake-ups
//   net napi            allocations, descriptors, kicks
//   vhost-net worker    packets (tap), allocations, descriptors, interrupts,
//                       bytes (as the vhost worker)
//
// The vhost worker's figures were measured end to end, so what it spends on the
// ring and on waking the reader is inside its prices. Only packets to the host
// are allocated by it: that price holds all that they cost more. What was
// suppressed is free: it is a read of memory that is at hand.
// Integers throughout; randomness is the caller's: a factor per mille.

#ifndef SIM_COST_MODEL_H_
#define SIM_COST_MODEL_H_

#include <array>
#include <cstdint>

#include "sim/platform.pb.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {

enum class Step {
  kApplicationCall,
  kGuestWorker,
  kVhostWorker,
  kUnixWrite,
  kUnixRead,
  kVmciCall,
  kVmciTasklet,
  kUdpCall,
  kUdpReceive,
  kNetNapi,
  kVhostNetWorker,
};

// Times that pass between cause and start, and are nobody's work.
enum class Delay {
  kWorkerWakeup,    // kick to the start of the idle vhost worker
  kGuestInterrupt,  // injection to the start of the guest's worker
  kTaskLatency,     // made runnable, on an idle processor, to running
  kContextSwitch,   // one task leaves a processor, another starts there
};

class CostModel {
 public:
  static constexpr uint32_t kAsStated = 1000;  // per mille

  // `platform` has all its costs: see sim/platform_loader.h.
  explicit CostModel(const Platform& platform);

  // Rounded down to whole nanoseconds.
  vsock::Nanos Price(Step step, const vsock::Work& work,
                     uint32_t per_mille = kAsStated) const;

  vsock::Nanos Length(Delay delay, uint32_t per_mille = kAsStated) const;

 private:
  struct PricesPs {  // picoseconds for each unit of a Work column
    uint64_t byte, packet, descriptor, kick, interrupt, wakeup, allocation,
        syscall;
  };

  std::array<PricesPs, 11> prices_;    // by Step
  std::array<uint64_t, 4> delays_ps_;  // by Delay
};

}  // namespace sim

#endif  // SIM_COST_MODEL_H_
