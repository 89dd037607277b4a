// line_transfer.h: what it costs here and now to hand one cache line from one
// core to another. A figure taken across two threads means little without it.

#ifndef BENCH_LINE_TRANSFER_H_
#define BENCH_LINE_TRANSFER_H_

namespace bench {

// Nanoseconds one way: half of a round trip between two threads that spin, the
// median of five batches.
double LineTransferNanos();

}  // namespace bench

#endif  // BENCH_LINE_TRANSFER_H_
