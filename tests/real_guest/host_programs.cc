#include "tests/real_guest/host_programs.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {

HostPrograms::HostPrograms(const std::string& prefix) {
  const std::pair<uint32_t, Program> programs[] = {
      {kHashPort, &HostPrograms::SendHash},
      {kLateHashPort, &HostPrograms::SendHashLate},
      {kPatternPort, &HostPrograms::SendPattern},
      {kHalfClosePort, &HostPrograms::EndHalf},
      {kGoodbyePort, &HostPrograms::SayGoodbye},
      {kIgnoredPort, &HostPrograms::BeIgnored},
      {kIgnoringPort, &HostPrograms::Ignore},
  };
  for (const auto& [port, program] : programs) {
    Listen(absl::StrCat(prefix, "_", port), program);
  }
}

std::vector<std::string> HostPrograms::Finish() {
  for (const int listener : listeners_) shutdown(listener, SHUT_RDWR);
  LetReadLate();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (const int listener : listeners_) close(listener);
  listeners_.clear();
  return complaints_;
}

void HostPrograms::Listen(const std::string& path, Program program) {
  const int listener = ListenOn(path);
  listeners_.push_back(listener);
  threads_.emplace_back(
      [this, listener, program] { Serve(listener, program); });
}

void HostPrograms::Serve(int listener, Program program) {
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    UnixStream stream(fd);
    (this->*program)(stream);
    if (stream.late()) Complain("a program waited in vain");
  }
}

void HostPrograms::SendHash(UnixStream& stream) {
  Hash hash;
  for (std::string heard = stream.Read(65536); !heard.empty();
       heard = stream.Read(65536)) {
    hash.Add(heard);
  }
  stream.Send(ToBytes(hash.value()));
}

void HostPrograms::SendHashLate(UnixStream& stream) {
  late_.acquire();
  SendHash(stream);
}

void HostPrograms::SendPattern(UnixStream& stream) {
  const uint64_t bytes = ToNumber(stream.ReadExactly(sizeof(uint64_t)));
  if (!stream.Send(Pattern(bytes, kPatternSeed))) {
    Complain("the guest did not read the pattern");
  }
}

void HostPrograms::EndHalf(UnixStream& stream) {
  stream.Send(Pattern(kHalfCloseBytes, kPatternSeed));
  stream.ShutDownSend();
  const size_t heard = stream.ReadToEnd().size();
  if (heard != kHalfCloseBytes) {
    Complain(absl::StrCat(heard, " bytes after the host's half close"));
  }
}

void HostPrograms::SayGoodbye(UnixStream& stream) { stream.Send("x"); }

void HostPrograms::BeIgnored(UnixStream& stream) {
  stream.Send(std::string(kUnreadBytes, 'x'));
  if (!stream.ReadToEnd().empty()) Complain("the guest was to say nothing");
}

void HostPrograms::Ignore(UnixStream& stream) { stream.Read(1); }

void HostPrograms::Complain(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  complaints_.push_back(what);
}

}  // namespace vsock::real_guest
