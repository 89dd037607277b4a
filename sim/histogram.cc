#include "sim/histogram.h"

#include <algorithm>
#include <bit>

#include "virtqueue/check.h"

namespace sim {
namespace {

constexpr int kBits = 7;  // a doubling is cut into 2^kBits buckets
constexpr uint64_t kLinear = uint64_t{1} << kBits;

}  // namespace

// With s the shift that leaves kBits + 1 significant bits, a value is in bucket
// s * kLinear + (value >> s). Below 2 * kLinear s is 0 and the bucket the
// value.
size_t Histogram::BucketOf(uint64_t value) {
  const int shift =
      std::max(static_cast<int>(std::bit_width(value)) - kBits - 1, 0);
  return static_cast<size_t>(shift) * kLinear + (value >> shift);
}

uint64_t Histogram::GreatestIn(size_t bucket) {
  if (bucket < 2 * kLinear) return bucket;
  const auto shift = static_cast<int>(bucket / kLinear) - 1;
  const uint64_t top = bucket - static_cast<uint64_t>(shift) * kLinear;
  return ((top + 1) << shift) - 1;
}

void Histogram::Add(int64_t value) {
  VSOCK_CHECK(value >= 0);
  const size_t bucket = BucketOf(static_cast<uint64_t>(value));
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += value;
  ++count_;
}

void Histogram::Merge(const Histogram& other) {
  if (other.count_ == 0) return;
  buckets_.resize(std::max(buckets_.size(), other.buckets_.size()));
  for (size_t i = 0; i < other.buckets_.size(); ++i) {
    buckets_[i] += other.buckets_[i];
  }
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

std::optional<int64_t> Histogram::min() const {
  if (count_ == 0) return std::nullopt;
  return min_;
}

std::optional<int64_t> Histogram::max() const {
  if (count_ == 0) return std::nullopt;
  return max_;
}

std::optional<double> Histogram::Mean() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<int64_t> Histogram::Quantile(uint32_t ppm) const {
  VSOCK_CHECK(ppm <= kPpm);
  if (count_ == 0) return std::nullopt;
  const uint64_t rank = (count_ * ppm + kPpm - 1) / kPpm;
  if (rank == 0) return min_;
  uint64_t seen = 0;
  size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  return std::min(static_cast<int64_t>(GreatestIn(bucket)), max_);
}

}  // namespace sim
