#include "sim/random.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

// FNV-1a, 64 bits.
uint64_t HashName(absl::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

// The whole part of a * (b / 2^64).
uint64_t Scale(uint64_t a, uint64_t b) {
  return absl::Uint128High64(absl::uint128(a) * b);
}

}  // namespace

Random Random::Fork(absl::string_view name) const {
  // Mixed twice, so that forking is not a symmetric function of the names.
  const uint64_t parent = SplitMix64(seed_).Next();
  return Random(SplitMix64(parent ^ HashName(name)).Next());
}

uint64_t Random::Below(uint64_t n) {
  // Lemire 2019: the high word of a product is uniform once the products whose
  // low word is below 2^64 mod n are drawn again.
  absl::uint128 product = absl::uint128(Next()) * n;
  if (absl::Uint128Low64(product) < n) {
    const uint64_t biased = -n % n;
    while (absl::Uint128Low64(product) < biased) {
      product = absl::uint128(Next()) * n;
    }
  }
  return absl::Uint128High64(product);
}

int64_t Random::Uniform(int64_t lo, int64_t hi) {
  VSOCK_CHECK(lo <= hi);
  const uint64_t range = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
  const uint64_t offset = range == UINT64_MAX ? Next() : Below(range + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(lo) + offset);
}

bool Random::Bernoulli(uint64_t numerator, uint64_t denominator) {
  VSOCK_CHECK(numerator <= denominator && denominator > 0);
  return Below(denominator) < numerator;
}

vsock::Nanos Random::Exponential(vsock::Nanos mean) {
  VSOCK_CHECK(mean.value() >= 0);
  // von Neumann 1951: the length of a falling run of uniforms is odd with
  // probability exp(-first). The first of an odd run is the fraction of an
  // exponential variate, the count of even runs before it its whole part.
  for (uint64_t whole = 0;; ++whole) {
    const uint64_t first = Next();
    uint64_t last = first;
    bool odd = true;
    for (uint64_t next = Next(); next < last; next = Next()) {
      last = next;
      odd = !odd;
    }
    if (odd) {
      const uint64_t scale = static_cast<uint64_t>(mean.value());
      return vsock::Nanos(
          static_cast<int64_t>(whole * scale + Scale(scale, first)));
    }
  }
}

vsock::Nanos Random::Triangular(vsock::Nanos lo, vsock::Nanos mode,
                                vsock::Nanos hi) {
  VSOCK_CHECK(lo <= mode && mode <= hi);
  // Stein and Keblis 2009: with c where the mode lies between 0 and 1,
  // (1 - c) min(U, V) + c max(U, V) is triangular. U and V have 32 bits each.
  const uint64_t draw = Next();
  const uint64_t u = draw >> 32;
  const uint64_t v = draw & 0xffffffff;
  const auto falling = static_cast<uint64_t>((hi - mode).value());
  const auto rising = static_cast<uint64_t>((mode - lo).value());
  const absl::uint128 sum = absl::uint128(falling) * std::min(u, v) +
                            absl::uint128(rising) * std::max(u, v);
  const auto offset = static_cast<int64_t>((sum + (uint64_t{1} << 31)) >> 32);
  return lo + vsock::Nanos(offset);
}

}  // namespace sim
