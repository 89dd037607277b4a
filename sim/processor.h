// processor.h: one CPU of a set, see processors.h.
//
// Invariant: busy time, measured as the time it was not idle, is what was
// priced (bursts, switches, interrupts) less what of it is still to come. The
// two are counted apart and compared: the utilisation law.

#ifndef SIM_PROCESSOR_H_
#define SIM_PROCESSOR_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "sim/actor.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

class Processors;

// What a processor was asked to spend its time on.
struct ProcessorUse {
  vsock::Nanos bursts{0};
  vsock::Nanos switching{0};
  vsock::Nanos interrupts{0};
  uint64_t switches = 0;  // from one task to a different one
  uint64_t interruptions = 0;

  vsock::Nanos priced() const { return bursts + switching + interrupts; }
};

class Processor final : public Actor {
 public:
  Processor(Processors& set, EventLoop& loop, std::string name, uint32_t index);

  void OnWake(vsock::Instant now) override;

  // An idle processor turns to `task` at `start`, or when the interrupts it
  // is in are over.
  void Start(Task& task, vsock::Instant start);

  void Interrupt(vsock::Nanos cost);

  uint32_t index() const { return index_; }
  const ProcessorUse& use() const { return use_; }

  // Time not idle, from the beginning of the run until now.
  vsock::Nanos Busy() const;

  // The utilisation law, exactly.
  absl::Status Check() const;

 private:
  // kIdle      no task; interrupts may occupy it until idle_since_.
  // kStarting  turns to current_: idle until starts_at_, then switching until
  //            due_.
  // kRunning   pays a burst of current_ until due_.
  // kDeciding  inside OnWake, between two bursts.
  enum class State : uint8_t { kIdle, kStarting, kRunning, kDeciding };

  // These say whether the processor is settled; if not, another decision about
  // current_ is due at once.
  bool Decide(vsock::Instant now);
  bool PayOrYield(Task& task, vsock::Nanos burst, vsock::Instant now);
  bool SwitchTo(Task* task, vsock::Instant now);

  void Pay(Task& task, vsock::Nanos burst, vsock::Instant now);
  vsock::Nanos PriceSwitch(const Task& task);
  void OccupyWhileIdle(vsock::Instant now, vsock::Nanos cost);
  vsock::Nanos StillToCome() const;

  Processors& set_;
  const uint32_t index_;
  State state_ = State::kIdle;
  Task* current_ = nullptr;
  uint32_t last_task_ = 0;  // id of the task it last ran, 0 for none
  vsock::Instant starts_at_{0};
  vsock::Instant due_{0};
  vsock::Nanos in_slice_{0};  // bursts of current_ since it was switched to
  vsock::Nanos stolen_{0};    // by interrupts while kDeciding
  vsock::Instant idle_since_{0};
  vsock::Nanos idle_{0};  // ended idle times
  ProcessorUse use_;
};

}  // namespace sim

#endif  // SIM_PROCESSOR_H_
