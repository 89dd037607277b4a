#include "tests/real_guest/device_process.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

constexpr std::chrono::seconds kPatience{30};

}  // namespace

DeviceProcess::DeviceProcess(const std::string& program,
                             const std::string& name)
    : program_(program), name_(name) {
  Start();
}

std::string DeviceProcess::socket() const { return name_ + ".device"; }

void DeviceProcess::Restart() {
  process_.reset();
  Start();
}

absl::btree_map<std::string, uint64_t> DeviceProcess::Stop() {
  process_->Signal(SIGTERM);
  absl::btree_map<std::string, uint64_t> counters;
  const auto deadline = ChildProcess::Clock::now() + kPatience;
  for (const std::string& line : process_->ReadToEnd(deadline)) {
    const std::pair<std::string, std::string> words =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    uint64_t value = 0;
    if (absl::SimpleAtoi(words.second, &value)) counters[words.first] = value;
  }
  return counters;
}

// Until it listens.
void DeviceProcess::Start() {
  unlink(socket().c_str());
  unlink(name_.c_str());
  process_.emplace(
      std::vector<std::string>{program_, absl::StrCat("--socket=", socket()),
                               absl::StrCat("--forward=", name_),
                               absl::StrCat("--services=", kServices)});
  const auto deadline = ChildProcess::Clock::now() + kPatience;
  while (process_->IsRunning() && ChildProcess::Clock::now() < deadline &&
         access(socket().c_str(), F_OK) != 0) {
    process_->WaitForEnd(ChildProcess::Clock::now() +
                         std::chrono::milliseconds(5));
  }
}

}  // namespace vsock::real_guest
