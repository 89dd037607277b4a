// work_pool.h: threads that do the work on the replies of a flow's connections.
//
// A connection hands a whole reply over and goes on; a free worker takes the
// oldest one in the queue. Whoever makes a sleeper runnable pays for it, one
// system call and one wake-up: the connection if a worker sleeps, the worker if
// the connection sleeps for it. The queue has no bound of its own: the program
// bounds what is outstanding (RequestResponse.in_flight), as blksum does.
// After: the hash pool of libblkhash (nirs/blkhash, lib/hash-pool.c).
// Left out: work in blocks (a reply is one piece, done by one worker), the lock
// of the queue, letting idle workers sleep while others are enough.

#ifndef SIM_WORK_POOL_H_
#define SIM_WORK_POOL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/chance.h"
#include "sim/flow_book.h"
#include "sim/machines.h"
#include "sim/side.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

class WorkPool {
 public:
  struct Options {
    std::string name;
    Side side = Side::kGuest;
    uint32_t threads = 1;      // at least one
    FlowBook* book = nullptr;  // of the flow whose senders hand over
  };

  // What one connection has handed over. It stays in place and outlives the
  // run.
  class Account {
   public:
    explicit Account(WorkPool& pool) : pool_(pool) {}
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    // Hands a reply over that takes `work`. Returns what that costs the caller.
    vsock::Nanos HandOver(vsock::Nanos work, Chance& chance);

    // Replies handed over and not yet done.
    uint32_t outstanding() const { return outstanding_; }

    // Wakes `task`, which is about to block, once another reply is done. There
    // is one outstanding.
    void Sleep(Task& task, Chance& chance);

   private:
    friend class WorkPool;

    WorkPool& pool_;
    uint32_t outstanding_ = 0;
    Task* sleeper_ = nullptr;
    Chance* sleepers_chance_ = nullptr;
  };

  // Machines and book outlive the pool; the pool outlives the run.
  WorkPool(Machines& machines, Options options);
  ~WorkPool();

 private:
  class Worker;
  struct Piece {
    Account* account = nullptr;
    vsock::Nanos work{0};
  };

  vsock::Nanos WakeWorker(Chance& chance);
  vsock::Nanos Finish(Account& account, Chance& chance);
  vsock::Nanos PriceOfWaking(Chance& chance) const;

  Machines& machines_;
  const Options options_;
  std::deque<Piece> queue_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace sim

#endif  // SIM_WORK_POOL_H_
