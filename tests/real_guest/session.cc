#include "tests/real_guest/session.h"

#include <signal.h>

#include <chrono>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"
#include "tests/real_guest/unix_stream.h"

namespace vsock::real_guest {
namespace {

// For one line of the console to follow the other.
constexpr std::chrono::seconds kPatience{60};

// A program on the host that asks the device for a port of the guest.
std::optional<UnixStream> ConnectToGuestPort(const std::string& socket,
                                             uint32_t port) {
  std::optional<UnixStream> stream = UnixStream::To(socket);
  if (stream.has_value()) stream->Send(absl::StrCat("CONNECT ", port, "\n"));
  return stream;
}

}  // namespace

Session::Session(const Files& files, DeviceProcess& device,
                 const std::string& device_properties,
                 const std::vector<std::string>& cases)
    : device_(device),
      programs_(device.name()),
      machine_({.qemu = files.qemu,
                .kernel = files.kernel,
                .initramfs = files.initramfs,
                .cases = absl::StrJoin(cases, ","),
                .device_socket = device.socket(),
                .device_properties = device_properties,
                .monitor_socket = device.name() + ".monitor"}) {}

void Session::Run() {
  ChildProcess& console = machine_.process();
  while (const std::optional<std::string> line =
             console.ReadLine(ChildProcess::Clock::now() + kPatience)) {
    absl::StrAppend(&console_, *line, "\n");
    OnLine(*line);
  }
  for (const std::string& complaint : programs_.Finish()) Complain(complaint);
}

std::string Session::Verdict(absl::string_view name) const {
  const auto verdict = verdicts_.find(name);
  return verdict == verdicts_.end() ? "nothing" : verdict->second;
}

std::vector<std::string> Session::Packets(absl::string_view name) const {
  const auto packets = packets_.find(name);
  return packets == packets_.end() ? std::vector<std::string>()
                                   : packets->second;
}

void Session::OnLine(const std::string& line) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::MaxSplits(' ', 2));
  if (words.size() < 3) return;
  if (words[0] == "ready") OnReady(words[1]);
  if (words[0] == "case") verdicts_[words[1]] = words[2];
  if (words[0] == "guest") features_ = words[2];
  if (words[0] == "packet") packets_[words[1]].push_back(words[2]);
}

void Session::OnReady(absl::string_view name) {
  if (name == "host_reads_late") programs_.LetReadLate();
  if (name == "host_connects") ConnectToGuest();
  if (name == "host_is_refused") ConnectToNobody();
  if (name == "device_is_restarted") RestartDevice();
  if (name == "guest_is_killed") machine_.process().Signal(SIGKILL);
}

void Session::ConnectToGuest() {
  const std::string bytes = Pattern(100000, 9);
  auto stream = ConnectToGuestPort(device_.name(), kGuestEchoPort);
  if (!stream.has_value()) return Complain("no socket for CONNECT");
  const std::string answer = stream->ReadLine();
  if (!absl::StartsWith(answer, "OK ")) Complain("not OK: " + answer);
  stream->Send(bytes);
  stream->ShutDownSend();
  if (stream->ReadToEnd() != ToBytes(HashOf(bytes))) {
    Complain("the guest's hash of what the host sent");
  }
}

void Session::ConnectToNobody() {
  auto stream = ConnectToGuestPort(device_.name(), kNobodysPort);
  if (!stream.has_value()) return Complain("no socket for CONNECT");
  const std::string answer = stream->ReadToEnd();
  if (stream->late() || !answer.empty()) {
    Complain("a port without a listener: " + answer);
  }
}

void Session::RestartDevice() {
  if (!machine_.Unplug()) Complain("QEMU did not let go of the device");
  device_.Restart();
  if (!machine_.Plug()) Complain("QEMU did not take the new device");
}

}  // namespace vsock::real_guest
