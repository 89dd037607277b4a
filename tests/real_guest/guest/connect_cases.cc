#include "tests/real_guest/guest/connect_cases.h"

#include <poll.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

void MustEcho(Stream& stream, const std::string& bytes) {
  stream.Send(bytes);
  Must(stream.ReadExactly(bytes.size()) == bytes, "what came back");
}

}  // namespace

// Linux, tools/testing/vsock: ECONNRESET, and the socket is good for another
// attempt.
void ConnectIsRefused() {
  Stream stream;
  Must(!stream.TryConnect(kNobodysPort), "refused");
  Must(errno == ECONNRESET, "ECONNRESET");
  Must(stream.TryConnect(kEchoPort), "second attempt");
  MustEcho(stream, "x");
}

// Linux, tools/testing/vsock, multiple connections.
void HundredAtOnce() {
  std::vector<Stream> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(Stream::To(kEchoPort));
  for (Stream& stream : streams) MustEcho(stream, "odd");
  for (Stream& stream : streams) MustEcho(stream, "even");
}

// Ten ports of the guest's in turn. Linux, tools/testing/vsock, double bind
// connect: a port is free again when its connection has ended.
void ThousandInSequence() {
  constexpr uint32_t kFirstPort = 5000;
  for (uint32_t i = 0; i < 1000; ++i) {
    Stream stream;
    while (!stream.TryBind(kFirstPort + i % 10)) {
      Must(errno == EADDRINUSE, "bind");
      poll(nullptr, 0, 1);
    }
    Must(stream.TryConnect(kEchoPort), "connect");
    MustEcho(stream, "x");
  }
}

void HostConnects() {
  Stream listener;
  listener.Listen(kGuestEchoPort);
  TellReady();
  Stream stream = listener.Accept();
  const std::string heard = stream.ReadToEnd();
  stream.Send(ToBytes(HashOf(heard)));
}

void HostIsRefused() { TellReady(); }

// The host restarts the device on the word. What was connected is reset, and
// the guest finds the new device.
void DeviceIsRestarted() {
  Stream stream = Stream::To(kEchoPort);
  MustEcho(stream, "x");
  TellReady();
  char byte = 0;
  Must(stream.TryRead(&byte, 1) < 0 && errno == ECONNRESET, "ECONNRESET");
  for (;;) {
    Stream again;
    if (again.TryConnect(kEchoPort)) return MustEcho(again, "y");
    poll(nullptr, 0, 100);
  }
}

void GuestIsKilled() {
  Stream stream = Stream::To(kHashPort);
  const std::string piece = Pattern(65536, 8);
  stream.Send(piece);
  TellReady();
  for (;;) stream.Send(piece);
}

}  // namespace vsock::real_guest
