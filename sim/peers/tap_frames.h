// tap_frames.h: what it costs a user-mode network to send frames to its device
// over an AF_UNIX stream: a buffer for each frame, or four iovecs; a call for
// each frame, or for many.
//
// Source: passt, tap.c and tcp_buf.c. A frame is a length word, an Ethernet
// header, an IP header and the payload. What a frame in one buffer costs more
// is the copy of the payload behind its headers; what a gathered one costs more
// is three iovecs. The kernel does not see frames: it cuts a call's bytes into
// socket buffers (linux_unix_rules.h), so small frames of a batch share one.
// Left out: the device, which is assumed to keep up, so no call is cut short;
// checksums; receiving the payload from the network's other side.
//
// bench/tap_frames_bench.cc measures the same on real sockets.

#ifndef SIM_PEERS_TAP_FRAMES_H_
#define SIM_PEERS_TAP_FRAMES_H_

#include <cstdint>

#include "sim/platform.pb.h"

namespace sim {

enum class FrameShape {
  kContiguous,  // one iovec; the payload was copied into place
  kGathered,    // length word, Ethernet, IP, payload: four iovecs
};

enum class IpVersion { k4, k6 };

struct TapSend {
  FrameShape shape = FrameShape::kGathered;
  uint32_t batch = 1;  // frames in a call
  uint32_t payload_bytes = 0;
  IpVersion ip = IpVersion::k4;
  uint32_t send_buffer = 8 << 20;  // sk_sndbuf: 4 MiB asked for
};

// Of one call.
struct TapCounts {
  uint64_t iovecs = 0;
  uint64_t socket_buffers = 0;
  uint64_t page_runs = 0;     // of the socket buffers
  uint64_t bytes_joined = 0;  // copied within the program
  uint64_t bytes_sent = 0;    // copied into the kernel
};

TapCounts CountTapSend(const TapSend& send);

// Picoseconds of the sender's processor time, rounded down.
uint64_t TapPsPerFrame(const Platform& platform, const TapSend& send);

// How much faster passt sends TCP frames if it gathers them: at its MTU of
// 65,520 bytes, of which a frame's data are whole pages, 128 frames in a call.
// Whatever else it does for a frame makes the gain smaller.
double PredictIovecGain(const Platform& platform, IpVersion ip);

}  // namespace sim

#endif  // SIM_PEERS_TAP_FRAMES_H_
