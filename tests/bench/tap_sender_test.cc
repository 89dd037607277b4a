#include "bench/tap_sender.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "bench/socket_pair.h"
#include "bench/tap_frames.h"
#include "gtest/gtest.h"

namespace bench {
namespace {

constexpr uint32_t kFrames = 128;

// All that a device reads until the stream ends.
std::vector<std::byte> ReadAll(int fd) {
  std::vector<std::byte> all;
  std::vector<std::byte> some(64 << 10);
  for (;;) {
    const ssize_t got = recv(fd, some.data(), some.size(), 0);
    if (got <= 0) return all;
    all.insert(all.end(), some.begin(), some.begin() + got);
  }
}

// Frames that follow one another from the beginning; 0 if one is cut.
uint32_t CountFrames(const std::vector<std::byte>& stream) {
  size_t at = 0;
  uint32_t frames = 0;
  for (; at + TapFrames::kLengthBytes <= stream.size(); ++frames) {
    uint32_t length;
    std::memcpy(&length, &stream[at], sizeof(length));
    at += sizeof(length) + ntohl(length);
  }
  return at == stream.size() ? frames : 0;
}

// A device behind a send buffer that holds a fraction of the frames.
class Line {
 public:
  Line() : sockets_(SOCK_STREAM), sender_(sockets_.sender()) {
    sockets_.SetSendBuffer(16 << 10);
  }

  std::vector<std::byte> Carry(TapFrames& frames) {
    std::vector<std::byte> got;
    std::thread device([&] { got = ReadAll(sockets_.receiver()); });
    frames.Compose(kFrames);
    sender_.Send(frames.parts(), frames.frame_bytes());
    sockets_.EndSending();
    device.join();
    return got;
  }

  const TapSender& sender() const { return sender_; }

 private:
  SocketPair sockets_;
  TapSender sender_;
};

TEST(CutFrontTest, RemovesWholePartsAndShortensTheNext) {
  char bytes[10];
  iovec parts[] = {{bytes, 3}, {bytes + 3, 7}};
  absl::Span<iovec> rest = absl::MakeSpan(parts);

  CutFront(rest, 5);

  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].iov_base, bytes + 5);
  EXPECT_EQ(rest[0].iov_len, 5u);
}

TEST(TapSenderTest, FramingSurvivesABufferThatTakesAFractionOfAFrame) {
  Line line;
  TapFrames frames(FrameShape::kGathered, kFrames, /*payload_bytes=*/65000);

  const std::vector<std::byte> got = line.Carry(frames);

  EXPECT_EQ(CountFrames(got), kFrames);
  EXPECT_GE(line.sender().completions(), 1u);
}

TEST(TapSenderTest, EitherShapeArrivesAsTheSameStream) {
  TapFrames contiguous(FrameShape::kContiguous, kFrames,
                       /*payload_bytes=*/5000);
  TapFrames gathered(FrameShape::kGathered, kFrames, /*payload_bytes=*/5000);

  const std::vector<std::byte> copied = Line().Carry(contiguous);

  EXPECT_EQ(CountFrames(copied), kFrames);
  EXPECT_EQ(copied, Line().Carry(gathered));
}

TEST(TapSenderTest, OneCallTakesAllFramesThatFit) {
  SocketPair sockets(SOCK_STREAM);
  TapSender sender(sockets.sender());
  TapFrames frames(FrameShape::kGathered, /*frames=*/32, /*payload_bytes=*/64);

  frames.Compose(32);
  sender.Send(frames.parts(), frames.frame_bytes());

  EXPECT_EQ(sender.calls(), 1u);
  EXPECT_EQ(sender.completions(), 0u);
}

}  // namespace
}  // namespace bench
