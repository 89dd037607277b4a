// program.h: what an application does, one operation after the other.
//
// A workload is a program for each end of a flow; application.h carries the
// operations out in virtual time. Programs are asked only for the next one.

#ifndef SIM_PROGRAM_H_
#define SIM_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "sim/flow_book.h"
#include "sim/scenario.pb.h"
#include "sim/work_pool.h"
#include "vsock/units.h"

namespace sim {

struct Operation {
  enum class Kind : uint8_t {
    kSend,        // one message of `bytes`, in as many pieces as it takes
    kReceive,     // exactly `bytes`, in as many calls as it takes
    kRead,        // one call of at most `bytes`
    kSleepUntil,  // `until`; at once if that has passed
    kWork,        // `work` of its own, on its processor
    kDelegate,    // `work` that its pool does meanwhile
    kAwaitWork,   // until the pool has done some of it
    kFinish,      // close
  };
  Kind kind;
  uint32_t bytes = 0;
  vsock::Instant until;
  vsock::Nanos work{0};
};

class Program {
 public:
  virtual ~Program() = default;

  // The last operation has ended; `now` is when.
  virtual Operation Next(vsock::Instant now) = 0;
};

// The programs of one sender of `flow` and of whoever receives from it. All
// arguments outlive them. `pool` is the sender's account with a pool; without
// one it does its work itself.
std::unique_ptr<Program> SenderProgram(const Scenario::Flow& flow,
                                       FlowBook& book,
                                       const WorkPool::Account* pool = nullptr);
std::unique_ptr<Program> ReceiverProgram(const Scenario::Flow& flow);

}  // namespace sim

#endif  // SIM_PROGRAM_H_
