#include "virtqueue/ring_part.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace virtqueue {
namespace {

absl::Status CheckAlign(absl::string_view clause, const RingPart& part) {
  if (part.at.value() % part.align == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: %s at %#x is not a multiple of %u", clause,
                      part.name, part.at.value(), part.align));
}

absl::Status CheckApart(const RingPart& a, const RingPart& b) {
  const bool apart = b.at.value() - a.at.value() >= a.bytes &&
                     a.at.value() - b.at.value() >= b.bytes;
  if (apart) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s and %s overlap", a.name, b.name));
}

}  // namespace

absl::Status CheckRingParts(absl::string_view clause,
                            absl::Span<const RingPart> parts) {
  absl::Status status;
  for (const RingPart& part : parts) status.Update(CheckAlign(clause, part));
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) {
      status.Update(CheckApart(parts[i], parts[j]));
    }
  }
  return status;
}

}  // namespace virtqueue
