#include "tests/real_guest/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "virtqueue/check.h"

namespace vsock::real_guest {
namespace {

int MillisecondsUntil(ChildProcess::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - ChildProcess::Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

// Does not return.
[[noreturn]] void Become(const std::vector<std::string>& command, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends;
  VSOCK_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
  pid_ = fork();
  VSOCK_CHECK(pid_ >= 0);
  if (pid_ == 0) Become(command, ends[1]);
  close(ends[1]);
  output_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (IsRunning()) {
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

std::optional<std::string> ChildProcess::ReadLine(Clock::time_point deadline) {
  size_t end = unread_.find('\n');
  while (end == std::string::npos) {
    if (!ReadMore(deadline)) return std::nullopt;
    end = unread_.find('\n');
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

std::vector<std::string> ChildProcess::ReadToEnd(Clock::time_point deadline) {
  std::vector<std::string> lines;
  while (auto line = ReadLine(deadline)) lines.push_back(*std::move(line));
  return lines;
}

bool ChildProcess::ReadMore(Clock::time_point deadline) {
  pollfd waited = {.fd = output_, .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, MillisecondsUntil(deadline)) != 1) return false;
  std::array<char, 4096> bytes;
  const ssize_t got = read(output_, bytes.data(), bytes.size());
  if (got <= 0) return false;
  unread_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

void ChildProcess::Signal(int signal) const {
  if (!status_.has_value()) kill(pid_, signal);
}

bool ChildProcess::IsRunning() { return !WaitForEnd(Clock::now()).has_value(); }

std::optional<int> ChildProcess::WaitForEnd(Clock::time_point deadline) {
  int status = 0;
  while (!status_.has_value()) {
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      status_ = status;
    } else if (Clock::now() >= deadline) {
      break;
    } else {
      poll(nullptr, 0, 1);
    }
  }
  return status_;
}

}  // namespace vsock::real_guest
