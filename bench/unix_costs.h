// unix_costs.h: what sim/platform.proto asks about AF_UNIX, taken apart from
// phases in which a writer or a reader works alone (unix_phases.h).
//
//   read of n one-byte socket buffers  = call + n * receive    n = 1 and 200
//   write of one byte                  = call + allocation
//   4096 bytes and 32768               = the same with one run of pages each:
//                                        their slopes are the copies, what is
//                                        left at no bytes is the run
//
// Source of the sizes: Linux net/unix/af_unix.c, unix_stream_sendmsg: what does
// not fit one page's head, 3776 bytes, goes to pages, of which a run is at most
// 32 KiB.

#ifndef BENCH_UNIX_COSTS_H_
#define BENCH_UNIX_COSTS_H_

#include <cstdint>
#include <vector>

namespace bench {

// One value for each repetition; nanoseconds, or picoseconds a byte.
struct UnixCosts {
  std::vector<double> call;
  std::vector<double> allocation;
  std::vector<double> receive;
  std::vector<double> pages;
  std::vector<double> copy_in;
  std::vector<double> copy_out;
};

// What the phases took: nanoseconds for each message, by kind of phase.
struct UnixPhaseSet {
  double write_byte = 0;
  double read_byte = 0;         // a call for each
  double read_byte_of_200 = 0;  // one call for 200
  double write_4096 = 0;
  double read_4096 = 0;
  double write_32768 = 0;
  double read_32768 = 0;
};

// Adds a value to each cost. None is below zero, whatever was measured.
void AddCosts(const UnixPhaseSet& phases, UnixCosts& costs);

UnixCosts MeasureUnixCosts(uint32_t repetitions);

}  // namespace bench

#endif  // BENCH_UNIX_COSTS_H_
