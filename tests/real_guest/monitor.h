// monitor.h: QEMU's monitor, in its machine protocol (QMP).

#ifndef TESTS_REAL_GUEST_MONITOR_H_
#define TESTS_REAL_GUEST_MONITOR_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "tests/real_guest/unix_stream.h"

namespace vsock::real_guest {

class Monitor {
 public:
  // Of the QEMU that has made this socket.
  explicit Monitor(const std::string& path);

  // One command; `arguments` is the inside of a JSON object. False: an error,
  // or no answer.
  bool Do(absl::string_view command, absl::string_view arguments);
  // Reads on until that event has come. False: it did not.
  bool Await(absl::string_view event);

 private:
  std::optional<UnixStream> stream_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_MONITOR_H_
