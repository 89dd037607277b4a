// A vhost-user back end: the virtio-vsock device for a real guest.
//
//   ./bazelw run //vsock/vhost_user:device -- --socket=/tmp/vsock.sock
//
// Counters go to standard output, everything else to standard error. Exit code
// 0 after SIGINT or SIGTERM, 1 if it can't serve, 2 for a wrong command line.

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vsock/vhost_user/device_flags.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/server.h"

namespace vsock::vhost_user {
namespace {

constexpr rlim_t kMostFiles = 4096;

void Log(absl::string_view line) {
  std::fprintf(stderr, "device: %.*s\n", static_cast<int>(line.size()),
               line.data());
}

// The program's signals, as a file.
FileDescriptor OpenSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    sigaddset(&signals, signal);
  }
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Each connection that is carried on has a file.
void AllowManyFiles() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, kMostFiles);
  setrlimit(RLIMIT_NOFILE, &files);
}

void Print(const Server& server, uint64_t& prints) {
  std::fputs(server.Count().Text(++prints).c_str(), stdout);
  std::fflush(stdout);
}

int Serve(const Server::Options& options) {
  AllowManyFiles();
  const FileDescriptor signals = OpenSignals();
  const absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Create(options);
  if (!server.ok()) {
    Log(server.status().message());
    return absl::IsInvalidArgument(server.status()) ? 2 : 1;
  }
  uint64_t prints = 0;
  bool stop = false;
  const absl::Status watched =
      (*server)->poller().Add(signals.get(), EPOLLIN, [&](uint32_t) {
        signalfd_siginfo info;
        if (read(signals.get(), &info, sizeof(info)) != sizeof(info)) return;
        if (info.ssi_signo != SIGUSR1)
          stop = true;
        else
          Print(**server, prints);
      });
  if (!watched.ok()) {
    Log(watched.message());
    return 1;
  }
  Log("listening at " + options.socket);
  while (!stop) (*server)->Round(std::nullopt);
  Print(**server, prints);
  return 0;
}

int Main(const std::vector<std::string>& args) {
  absl::StatusOr<Server::Options> options = ReadDeviceFlags(args);
  if (absl::IsCancelled(options.status())) {
    std::fputs(DeviceHelp().c_str(), stdout);
    return 0;
  }
  if (!options.ok()) {
    Log(options.status().message());
    return 2;
  }
  options->log = Log;
  return Serve(*options);
}

}  // namespace
}  // namespace vsock::vhost_user

int main(int argc, char** argv) {
  return vsock::vhost_user::Main({argv + 1, argv + argc});
}
