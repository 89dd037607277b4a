// call_probe.h: what it costs to enter the kernel, and to copy without it.

#ifndef BENCH_CALL_PROBE_H_
#define BENCH_CALL_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

// Nanoseconds of processor time, one value for each repetition.

// getppid: the kernel does next to nothing.
std::vector<double> BareCallNanos(uint32_t repetitions);

// recv on an empty AF_UNIX stream, which answers EAGAIN: the call, the file,
// the socket and its lock, and nothing of a message.
std::vector<double> SocketCallNanos(uint32_t repetitions);

// One more iovec in a sendmsg, over an AF_UNIX stream: 16 of 16 bytes against
// one of 256.
std::vector<double> IovecNanos(uint32_t repetitions);

// Picoseconds a byte: blocks of `block_bytes`, one after the other, from one
// buffer of `set_bytes` into another.
std::vector<double> CopyPicos(uint32_t repetitions, size_t block_bytes,
                              size_t set_bytes);

}  // namespace bench

#endif  // BENCH_CALL_PROBE_H_
