// stream_drain.h: the device's end of a stream: a thread that reads and throws
// away, and knows how much it has read.

#ifndef BENCH_STREAM_DRAIN_H_
#define BENCH_STREAM_DRAIN_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "bench/socket_pair.h"

namespace bench {

class StreamDrain {
 public:
  // Reads on processor 1 until the stream ends.
  explicit StreamDrain(SocketPair& sockets);

  // Ends the stream and the thread.
  ~StreamDrain();

  // Returns once so many bytes in all have been read.
  void Await(uint64_t bytes) const;

 private:
  void Run();

  SocketPair& sockets_;
  std::atomic<uint64_t> read_ = 0;
  std::thread thread_;
};

}  // namespace bench

#endif  // BENCH_STREAM_DRAIN_H_
