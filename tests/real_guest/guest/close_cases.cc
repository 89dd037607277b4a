#include "tests/real_guest/guest/close_cases.h"

#include <poll.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

// Until it has been heard that the peer reads no more.
void SendUntilRefused(Stream& stream, std::string_view piece) {
  while (stream.TrySend(piece) >= 0) {
  }
}

}  // namespace

void GuestClosesItsHalf() {
  const std::string question = Pattern(kHalfCloseBytes, 3);
  Stream stream = Stream::To(kHashPort);
  stream.Send(question);
  stream.ShutDownSend();
  Must(stream.TrySend("x") < 0 && errno == EPIPE, "EPIPE after SHUT_WR");
  Must(stream.ReadToEnd() == ToBytes(HashOf(question)), "the answer");
}

void HostClosesItsHalf() {
  Stream stream = Stream::To(kHalfClosePort);
  Must(stream.ReadToEnd().size() == kHalfCloseBytes, "what the host said");
  stream.Send(Pattern(kHalfCloseBytes, 4));
  stream.ShutDownSend();
  Must(stream.Read(1).empty(), "end of stream again");
}

// Linux, tools/testing/vsock, server close: sending ends in EPIPE, what came
// before is still there, then the end. (The device hears of the end of a
// program's sending before it hears that it does not read either.)
void HostCloses() {
  Stream stream = Stream::To(kGoodbyePort);
  Must(stream.Poll(POLLRDHUP, -1), "poll");
  SendUntilRefused(stream, "x");
  Must(errno == EPIPE, "EPIPE");
  Must(stream.Read(16).size() == 1, "the byte before the end");
  Must(stream.Read(16).empty(), "the end");
}

void GuestClosesUnread() {
  Stream stream = Stream::To(kIgnoredPort);
  Must(stream.Poll(POLLIN, -1), "poll");
  stream.Close();
}

void HostClosesUnread() {
  Stream stream = Stream::To(kIgnoringPort);
  SendUntilRefused(stream, std::string(4096, 'x'));
  Must(errno == EPIPE || errno == ECONNRESET, "EPIPE or ECONNRESET");
}

}  // namespace vsock::real_guest
