// errno_of.h: the errno that a socket call's Status begins with; "OK" if none.

#ifndef TESTS_SUPPORT_ERRNO_OF_H_
#define TESTS_SUPPORT_ERRNO_OF_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vsock {

inline std::string ErrnoOf(const absl::Status& status) {
  if (status.ok()) return "OK";
  const std::string message(status.message());
  return message.substr(0, message.find(':'));
}

template <typename T>
std::string ErrnoOf(const absl::StatusOr<T>& result) {
  return ErrnoOf(result.status());
}

}  // namespace vsock

#endif  // TESTS_SUPPORT_ERRNO_OF_H_
