#include "tests/real_guest/guest/packet_cases.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/recorder.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

// Until so much can be read at once.
void AwaitReadable(Stream& stream, size_t bytes) {
  std::string seen(bytes, '\0');
  while (stream.TryRead(seen.data(), bytes, MSG_PEEK) <
         static_cast<ssize_t>(bytes)) {
    poll(nullptr, 0, 1);
  }
}

}  // namespace

void PacketsOfEcho() {
  Recorder recorder;
  Stream stream = Stream::To(kEchoPort);
  for (size_t round = 0; round < kEchoRounds; ++round) {
    const size_t bytes = EchoBytes(round);
    stream.Send(std::string(bytes, 'x'));
    AwaitReadable(stream, bytes);
    stream.Read(bytes);
  }
  stream.Close();
  recorder.Print();
}

void PacketsOfRefusal() {
  Recorder recorder;
  Stream stream;
  Must(!stream.TryConnect(kNobodysPort), "refused");
  stream.Close();
  recorder.Print();
}

void PacketsOfGuestsHalfClose() {
  Recorder recorder;
  Stream stream = Stream::To(kEchoPort);
  stream.Send(std::string(kHalfCloseBytes, 'x'));
  AwaitReadable(stream, kHalfCloseBytes);
  stream.Read(kHalfCloseBytes);
  stream.ShutDownSend();
  Must(stream.Read(1).empty(), "the end");
  stream.Close();
  recorder.Print();
}

void PacketsOfHostsHalfClose() {
  Recorder recorder;
  Stream stream = Stream::To(kShortSourcePort);
  AwaitReadable(stream, kShortSourceBytes);
  stream.Read(kShortSourceBytes);
  Must(stream.Read(1).empty(), "the end");
  stream.Send(std::string(kHalfCloseBytes, 'x'));
  stream.Close();
  recorder.Print();
}

void PacketsOfSlowReader() {
  Recorder recorder;
  Stream stream = Stream::To(kLongSourcePort);
  for (size_t heard = 0; heard < kLongSourceBytes;) {
    AwaitReadable(stream, std::min(kSlowReserve, kLongSourceBytes - heard));
    heard += stream.Read(kSlowRead).size();
  }
  Must(stream.Read(1).empty(), "the end");
  stream.Close();
  recorder.Print();
}

void PacketsOfStalledWriter() {
  Recorder recorder;
  Stream stream = Stream::To(kSlowPort);
  for (size_t i = 0; i < kStalledWrites; ++i) {
    stream.Send(std::string(kStalledWrite, 'x'));
  }
  stream.Close();
  recorder.Print();
}

// As far as the call that raises the mark.
void PacketsOfRaisedMark() {
  Recorder recorder;
  Stream stream = Stream::To(kLongSourcePort);
  AwaitReadable(stream, kStreamBuffer);
  stream.Read(kBeforeMark);
  stream.SetLowWater(static_cast<int>(kRaisedMark));
  recorder.Print();
}

}  // namespace vsock::real_guest
