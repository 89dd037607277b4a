// run_queue.h: tasks that wait for a processor, first come, first served.
//
// Each entry has a ticket, so that several queues can be served as one, and the
// instant it came. A ring that only grows: no allocation in steady state.
// Left out: priorities.

#ifndef SIM_RUN_QUEUE_H_
#define SIM_RUN_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

class RunQueue {
 public:
  struct Entry {
    Task* task = nullptr;
    uint64_t ticket = 0;
    vsock::Instant since;
  };

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Entry& front() const { return At(0); }

  // The entry `i` places behind the front.
  const Entry& At(size_t i) const {
    return ring_[(head_ + i) & (ring_.size() - 1)];
  }

  // Tickets and instants never fall from one push to the next.
  void Push(const Entry& entry);

  // As Push(), but the task takes one of the places of those that came at the
  // same instant, each equally likely.
  void PushAmongEquals(const Entry& entry, Random& order);

  Entry Pop();

 private:
  Entry& Slot(size_t i) { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  void Grow();

  std::vector<Entry> ring_ = std::vector<Entry>(8);  // a power of two
  size_t head_ = 0;
  size_t size_ = 0;
  size_t equals_ = 0;  // entries at the back that came at one instant
};

}  // namespace sim

#endif  // SIM_RUN_QUEUE_H_
