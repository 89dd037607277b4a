#include "bench/stream_drain.h"

#include <errno.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "bench/pin.h"
#include "bench/priority.h"
#include "virtqueue/check.h"

namespace bench {
namespace {

constexpr size_t kReadBytes = size_t{256} << 10;

}  // namespace

StreamDrain::StreamDrain(SocketPair& sockets)
    : sockets_(sockets), thread_([this] { Run(); }) {}

StreamDrain::~StreamDrain() {
  sockets_.EndSending();
  thread_.join();
}

void StreamDrain::Await(uint64_t bytes) const {
  for (uint64_t read = read_.load(); read < bytes; read = read_.load()) {
    read_.wait(read);
  }
}

void StreamDrain::Run() {
  PinToCpu(1);
  Prefer(Priority::kMeasured);
  std::vector<std::byte> buffer(kReadBytes);
  for (;;) {
    const ssize_t got = read(sockets_.receiver(), buffer.data(), kReadBytes);
    if (got == 0) return;
    VSOCK_CHECK(got > 0 || errno == EINTR);
    if (got < 0) continue;
    read_ += static_cast<uint64_t>(got);
    read_.notify_one();
  }
}

}  // namespace bench
