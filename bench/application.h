// application.h: what uses the sockets of one side, one call at a time.

#ifndef BENCH_APPLICATION_H_
#define BENCH_APPLICATION_H_

#include <atomic>

#include "vsock/transport.h"

namespace bench {

// How the two applications of a run tell each other that it is over.
struct Progress {
  // Every datagram was sent, and none is in the sender's hands any more.
  std::atomic<bool> datagrams_settled = false;
  // Nothing more will come.
  std::atomic<bool> all_received = false;
};

class Application {
 public:
  enum class Outcome {
    kNothing,
    kSubmit,     // there may be packets to submit
    kTellOther,  // Progress has changed
  };

  virtual ~Application() = default;

  // At most one send or receive. `workers_idle`: the workers below have
  // nothing to do that they know of.
  virtual Outcome Step(vsock::Transport& sockets, bool workers_idle) = 0;

  // It would do something if stepped now; else it waits for its sockets or the
  // other application.
  virtual bool runnable() const = 0;
  virtual bool finished() const = 0;
};

}  // namespace bench

#endif  // BENCH_APPLICATION_H_
