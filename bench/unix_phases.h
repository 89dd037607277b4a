// unix_phases.h: what AF_UNIX costs a writer and a reader, each by itself.
//
// One thread writes messages until the send buffer is nearly full, then another
// on another processor reads them all, and so on: both find caches as in a
// busy exchange, yet nobody waits, is woken or runs beside the other. So these
// figures hold nothing of the throughput that a model makes of them.

#ifndef BENCH_UNIX_PHASES_H_
#define BENCH_UNIX_PHASES_H_

#include <cstdint>
#include <vector>

namespace bench {

struct UnixPhases {
  int type = 0;  // SOCK_STREAM or SOCK_DGRAM
  uint32_t message_bytes = 0;
  uint32_t messages = 0;    // in a phase; they must fit the send buffer
  uint32_t read_bytes = 0;  // of each read call; a datagram's at least
};

struct UnixPhaseNanos {  // of processor time, for each message
  double write = 0;
  double read = 0;
};

// Of many phases the one that a tenth of them do not exceed: other work on the
// machine cools caches and so can only add.
UnixPhaseNanos MeasureUnixPhases(const UnixPhases& phases);

// One byte there and back between two threads on two processors, both asleep
// in between: wall time in nanoseconds, one value for each repetition.
std::vector<double> UnixRoundTripNanos(uint32_t repetitions);

}  // namespace bench

#endif  // BENCH_UNIX_PHASES_H_
