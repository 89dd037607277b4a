// throughput.h: what passed a point in a window of time.
//
// Warm-up and tail lie outside the window and are not counted.

#ifndef SIM_THROUGHPUT_H_
#define SIM_THROUGHPUT_H_

#include <cstdint>

#include "virtqueue/check.h"
#include "vsock/units.h"

namespace sim {

class Throughput {
 public:
  // Counts from `begin`, included, until `end`, excluded.
  Throughput(vsock::Instant begin, vsock::Instant end)
      : begin_(begin), end_(end) {
    VSOCK_CHECK(begin < end);
  }

  void Add(vsock::Instant now, uint64_t bytes) {
    if (now < begin_ || now >= end_) return;
    ++items_;
    bytes_ += bytes;
  }

  uint64_t items() const { return items_; }
  uint64_t bytes() const { return bytes_; }
  double ItemsPerSecond() const { return PerSecond(items_); }
  double BytesPerSecond() const { return PerSecond(bytes_); }

 private:
  double PerSecond(uint64_t count) const {
    return static_cast<double>(count) * 1e9 /
           static_cast<double>((end_ - begin_).value());
  }

  vsock::Instant begin_;
  vsock::Instant end_;
  uint64_t items_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace sim

#endif  // SIM_THROUGHPUT_H_
