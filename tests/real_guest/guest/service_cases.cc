#include "tests/real_guest/guest/service_cases.h"

#include <cstddef>
#include <string>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

// The end comes once all has been read.
void MustTake(uint32_t port, size_t bytes) {
  Stream stream = Stream::To(port);
  stream.Send(Pattern(bytes, port));
  stream.ShutDownSend();
  Must(stream.ReadToEnd().empty(), "the end");
}

}  // namespace

void Discard() { MustTake(kDiscardPort, 1 << 20); }

void Source() {
  constexpr size_t kBytes = 1 << 20;
  constexpr size_t kModulus = 251;
  Stream stream = Stream::To(kSourcePort);
  const std::string heard = stream.ReadExactly(kBytes);
  for (size_t i = 0; i < kBytes; ++i) {
    Must(static_cast<unsigned char>(heard[i]) == i % kModulus, "the bytes");
  }
}

void CloseOnAccept() {
  Stream stream = Stream::To(kClosePort);
  Must(stream.Read(1).empty(), "the end");
}

// More than the window, at the 1 MiB a second at which it reads.
void SlowService() { MustTake(kSlowPort, 512 << 10); }

}  // namespace vsock::real_guest
