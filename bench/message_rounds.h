// message_rounds.h: whole messages from one application to another on one
// thread, so that what is measured is the code of a message's path and not the
// road between two cores.
//
// A round sends `batch` messages, lets the workers of both sides run until all
// sleep, reads what arrived, and lets them run again: for the credit updates
// of a stream, and for the sender's buffers to come back.

#ifndef BENCH_MESSAGE_ROUNDS_H_
#define BENCH_MESSAGE_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/flow_pair.h"
#include "vsock/transport.h"
#include "vsock/work.h"

namespace bench {

class MessageRounds {
 public:
  // The buffers of a socket hold a batch.
  MessageRounds(const FlowShape& shape, uint32_t batch);

  // One round: `batch` messages go all the way, or the program stops.
  void Run();

  // The ledger since the beginning, without what applications did.
  vsock::Work work() const { return pair_.work(); }

 private:
  void Send();
  void Receive();

  const FlowShape shape_;
  const uint32_t batch_;
  FlowPair pair_;
  vsock::Transport& from_;
  vsock::Transport& to_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> got_;
};

}  // namespace bench

#endif  // BENCH_MESSAGE_ROUNDS_H_
