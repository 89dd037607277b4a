// tap_frames.h: frames as a user-mode network hands them to its device.
//
// Source: passt, tap.c and tcp_buf.c. Over a UNIX stream socket a frame is a
// length word (32 bits, big-endian, of what follows), an Ethernet header, an IP
// header and a payload that begins with its TCP header. Until April 2024 passt
// kept a frame in one buffer; since then it is gathered from four.
// Left out: checksums and the padding of frames below 60 bytes. Headers hold
// what framing needs and otherwise zeroes.

#ifndef BENCH_TAP_FRAMES_H_
#define BENCH_TAP_FRAMES_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace bench {

enum class FrameShape {
  kContiguous,  // all of a frame copied into one buffer: one iovec
  kGathered,    // length word, Ethernet, IP, payload where they lie: four
};

class TapFrames {
 public:
  static constexpr size_t kLengthBytes = 4;
  static constexpr size_t kEthernetBytes = 14;
  static constexpr size_t kIpBytes = 20;
  static constexpr size_t kHeaderBytes =
      kLengthBytes + kEthernetBytes + kIpBytes;

  // Up to `frames` frames of one payload size at a time.
  TapFrames(FrameShape shape, uint32_t frames, uint32_t payload_bytes);

  // Makes that many frames: each takes the next payload of a pool of about a
  // megabyte, or of `frames` payloads if that is more, which then starts again.
  void Compose(uint32_t frames);

  // Of the frames last made, in their order; the sender may cut it from the
  // front (see tap_sender.h).
  absl::Span<iovec> parts() { return absl::MakeSpan(parts_); }

  size_t frame_bytes() const { return kHeaderBytes + payload_bytes_; }
  size_t parts_per_frame() const {
    return shape_ == FrameShape::kContiguous ? 1 : 4;
  }

 private:
  std::byte* NextPayload();
  void AddContiguous(uint32_t frame);
  void AddGathered(uint32_t frame);

  const FrameShape shape_;
  const uint32_t payload_bytes_;
  std::vector<std::byte> pool_;
  size_t next_payload_ = 0;
  std::vector<std::byte> frames_;  // whole frames, or headers alone
  std::vector<iovec> parts_;
};

}  // namespace bench

#endif  // BENCH_TAP_FRAMES_H_
