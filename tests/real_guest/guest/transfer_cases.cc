#include "tests/real_guest/guest/transfer_cases.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/stream.h"
#include "tests/real_guest/pattern.h"
#include "tests/real_guest/ports.h"

namespace vsock::real_guest {
namespace {

constexpr size_t kBulk = 16 << 20;

// The host's hash of what it heard, which is the end of its answer.
void MustHaveArrived(Stream& stream, std::string_view bytes) {
  stream.ShutDownSend();
  const std::string answer = stream.ReadToEnd();
  Must(answer == ToBytes(HashOf(bytes)), "hash of what the host heard");
}

}  // namespace

void IsEchoed(size_t bytes) {
  const std::string pattern = Pattern(bytes, bytes);
  Stream stream = Stream::To(kEchoPort);
  Must(Exchange(stream, pattern) == pattern, "what came back");
}

void SixteenMebibytesToHost() {
  const std::string pattern = Pattern(kBulk, 1);
  Stream stream = Stream::To(kHashPort);
  stream.Send(pattern);
  MustHaveArrived(stream, pattern);
}

void SixteenMebibytesToGuest() {
  Stream stream = Stream::To(kPatternPort);
  stream.Send(ToBytes(kBulk));
  const std::string heard = stream.ReadToEnd();
  Must(heard.size() == kBulk, "length of what the guest heard");
  Must(HashOf(heard) == HashOf(Pattern(kBulk, kPatternSeed)),
       "hash of what the guest heard");
}

void SixteenMebibytesBothWays() { IsEchoed(kBulk); }

// Linux, tools/testing/vsock, small packets under backpressure: payloads of 129
// bytes are the smallest that are not joined to the one before.
void SmallPackets() {
  constexpr size_t kPacket = 129;
  const std::string pattern = Pattern(2 << 20, 2);
  Stream stream;
  stream.SetBufferSize(2 << 20);
  Must(stream.TryConnect(kHashPort), "connect");
  for (std::string_view rest = pattern; !rest.empty();) {
    const std::string_view packet = rest.substr(0, kPacket);
    stream.Send(packet);
    rest.remove_prefix(packet.size());
  }
  MustHaveArrived(stream, pattern);
}

}  // namespace vsock::real_guest
