// child_process.h: a program that a test runs beside itself and reads from. It
// ends with the test, however that ends.

#ifndef TESTS_REAL_GUEST_CHILD_PROCESS_H_
#define TESTS_REAL_GUEST_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace vsock::real_guest {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // The first of `command` is the program's path.
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();  // kills it

  // The next line of what it prints, or none: it is late, or has ended.
  std::optional<std::string> ReadLine(Clock::time_point deadline);
  // Everything it still prints until it ends.
  std::vector<std::string> ReadToEnd(Clock::time_point deadline);

  void Signal(int signal) const;
  bool IsRunning();
  // As waitpid gives it, or none: still running at the deadline.
  std::optional<int> WaitForEnd(Clock::time_point deadline);

 private:
  bool ReadMore(Clock::time_point deadline);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string unread_;
  std::optional<int> status_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_CHILD_PROCESS_H_
