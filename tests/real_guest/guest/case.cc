#include "tests/real_guest/guest/case.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace vsock::real_guest {
namespace {

constexpr unsigned kSeconds = 60;

std::string_view running;  // the case of this process

void Report(std::string_view verdict) { PrintLine("case", verdict); }

}  // namespace

void RunCase(const Case& item) {
  running = item.name;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    item.run();
    Report("ok");
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    Report(std::string("FAILED ") + strsignal(WTERMSIG(status)));
  }
}

void Must(bool holds, std::string_view what) {
  if (holds) return;
  Report("FAILED " + std::string(what) + ": " + strerror(errno));
  _exit(1);
}

void TellReady() { PrintLine("ready", "now"); }

// In one piece: the kernel writes to the same console.
void PrintLine(std::string_view kind, std::string_view text) {
  std::string line(kind);
  for (const std::string_view part : {running, text}) {
    line += " ";
    line += part;
  }
  line += "\n";
  (void)!write(STDOUT_FILENO, line.data(), line.size());
}

}  // namespace vsock::real_guest
