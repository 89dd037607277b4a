// unix_throughput.h: bulk data one way over real AF_UNIX sockets, as fast as it
// goes, from a thread on one processor to a thread on another.

#ifndef BENCH_UNIX_THROUGHPUT_H_
#define BENCH_UNIX_THROUGHPUT_H_

#include <chrono>
#include <cstdint>

#include "absl/status/statusor.h"
#include "bench/spread.h"

namespace bench {

struct UnixBulk {
  int type = 0;              // SOCK_STREAM or SOCK_DGRAM
  uint32_t send_buffer = 0;  // SO_SNDBUF as handed to setsockopt
  uint32_t message_bytes = 0;
  uint32_t read_bytes = 65536;  // of each receive call
};

struct Timing {
  std::chrono::milliseconds warm_up{10};
  std::chrono::milliseconds window{30};
  uint32_t repetitions = 5;
};

// Bytes a second that arrived in the window, over the repetitions, each with
// sockets and threads of its own. EMSGSIZE (InvalidArgument) if the send buffer
// takes no message of that size.
absl::StatusOr<Spread> MeasureUnixThroughput(const UnixBulk& bulk,
                                             const Timing& timing);

}  // namespace bench

#endif  // BENCH_UNIX_THROUGHPUT_H_
