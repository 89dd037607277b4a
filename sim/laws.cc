#include "sim/laws.h"

#include "absl/strings/str_format.h"

namespace sim {

absl::Status Station::Check(vsock::Instant now,
                            std::span<const vsock::Instant> inside) const {
  if (length() != inside.size()) {
    return absl::InternalError(absl::StrFormat(
        "flow balance: %s: %d arrived, %d departed, %d are inside", name_,
        arrivals_, departures_, inside.size()));
  }
  const int64_t area =
      area_ + static_cast<int64_t>(length()) * (now - last_).value();
  int64_t sojourn = sojourn_;
  for (const vsock::Instant arrived : inside) {
    sojourn += (now - arrived).value();
  }
  if (area != sojourn) {
    return absl::InternalError(absl::StrFormat(
        "Little's law: %s: area under the length %d ns, sum of sojourns %d ns",
        name_, area, sojourn));
  }
  return absl::OkStatus();
}

absl::Status CheckUtilisation(absl::string_view name, vsock::Nanos busy,
                              vsock::Nanos priced) {
  if (busy != priced) {
    return absl::InternalError(absl::StrFormat(
        "utilisation law: %s: busy for %d ns, given %d ns of work", name,
        busy.value(), priced.value()));
  }
  return absl::OkStatus();
}

}  // namespace sim
