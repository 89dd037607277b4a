#include "tests/real_guest/guest/credit_cases.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

constexpr int kStallMs = 300;

Stream AskFor(uint64_t bytes, uint64_t buffer_size) {
  Stream stream;
  stream.SetBufferSize(buffer_size);
  Must(stream.TryConnect(kPatternPort), "connect");
  stream.Send(ToBytes(bytes));
  return stream;
}

// Sends until nothing has been taken for a while, and returns what was sent.
std::string SendUntilStalled(Stream& stream, size_t most) {
  const std::string pattern = Pattern(most, 6);
  size_t sent = 0;
  while (sent < most && stream.Poll(POLLOUT, kStallMs)) {
    const ssize_t taken =
        stream.TrySend(pattern.substr(sent, 65536), MSG_DONTWAIT);
    Must(taken > 0 || errno == EAGAIN, "send");
    if (taken > 0) sent += static_cast<size_t>(taken);
  }
  return pattern.substr(0, sent);
}

}  // namespace

// Linux, tools/testing/vsock, bounds of the credit to send: a reader who does
// not read stops the writer early.
void HostReadsLate() {
  constexpr size_t kMost = 8 << 20;
  Stream stream = Stream::To(kLateHashPort);
  const std::string sent = SendUntilStalled(stream, kMost);
  Must(sent.size() < kMost, "the writer has to stall");
  TellReady();
  const std::string rest = Pattern(1 << 20, 7);
  stream.Send(rest);
  stream.ShutDownSend();
  Must(stream.ReadToEnd() == ToBytes(HashOf(sent + rest)), "hash");
}

void GuestReadsLate() {
  constexpr size_t kBytes = 1 << 20;
  Stream stream = AskFor(kBytes, 65536);
  Must(stream.Poll(POLLIN, -1), "poll");
  Must(stream.ReadToEnd(3000) == Pattern(kBytes, kPatternSeed),
       "what the guest heard");
}

// Linux, tools/testing/vsock, credit update and SO_RCVLOWAT: the host has no
// credit left, and the reader wants more than is there. It must not be left
// waiting. (To set the mark after the first read is another matter: 6.1.192
// says nothing to the host then, see packets_of_raised_mark.)
void LowWater() {
  constexpr size_t kBuffer = 128 << 10;
  constexpr size_t kFirst = 60000;  // too little to be announced by itself
  constexpr int kMark = 100000;
  Stream stream = AskFor(2 * kBuffer, kBuffer);
  stream.SetLowWater(kMark);
  std::string heard = stream.ReadExactly(kFirst);
  Must(stream.Poll(POLLIN, -1), "poll");
  std::string more(kBuffer, '\0');
  const ssize_t got = stream.TryRead(more.data(), kBuffer, MSG_DONTWAIT);
  Must(got >= kMark, "as much as was asked for");
  heard += more.substr(0, static_cast<size_t>(got));
  stream.SetLowWater(1);
  heard += stream.ReadToEnd();
  Must(heard == Pattern(2 * kBuffer, kPatternSeed), "the bytes");
}

// A smaller buffer only while nothing is on its way: Linux ends a connection
// with ENOBUFS when more is queued than the buffer has become.
void BufferSizeChanges() {
  constexpr size_t kBytes = 1 << 20;
  Stream stream = AskFor(3 * kBytes, 16 << 10);
  std::string heard = stream.ReadExactly(kBytes);
  stream.SetBufferSize(256 << 10);
  heard += stream.ReadExactly(kBytes);
  stream.SetBufferSize(1 << 20);
  heard += stream.ReadToEnd();
  Must(heard == Pattern(3 * kBytes, kPatternSeed), "the bytes");

  Stream echo = Stream::To(kEchoPort);
  for (const uint64_t size : {256 << 10, 16 << 10, 64 << 10}) {
    echo.SetBufferSize(size);
    const std::string bytes = Pattern(kBytes, size);
    Must(Exchange(echo, bytes) == bytes, "what came back");
  }
}

}  // namespace vsock::real_guest
