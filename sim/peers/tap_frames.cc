#include "sim/peers/tap_frames.h"

#include "sim/peers/linux_unix_rules.h"
#include "sim/peers/unix_rules.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

constexpr uint32_t kLengthBytes = 4;
constexpr uint32_t kEthernetBytes = 14;
constexpr uint32_t kTcpBytes = 20;
constexpr uint32_t kPage = 4096;
constexpr uint32_t kPasstMtu = 65520;
constexpr uint32_t kPasstBatch = 128;  // TCP_FRAMES_MEM
constexpr uint32_t kGatheredParts = 4;
constexpr uint64_t kPsPerNs = 1000;

uint32_t IpBytes(IpVersion ip) { return ip == IpVersion::k4 ? 20 : 40; }

uint32_t FrameBytes(const TapSend& send) {
  return kLengthBytes + kEthernetBytes + IpBytes(send.ip) + send.payload_bytes;
}

void CutIntoSocketBuffers(const TapSend& send, TapCounts& counts) {
  const LinuxUnixRules rules((Scenario::Unix()));
  const UnixView empty = {.send_buffer = send.send_buffer};
  for (uint64_t left = counts.bytes_sent; left > 0;) {
    const UnixPiece piece =
        rules.StreamPiece(empty, static_cast<uint32_t>(left));
    ++counts.socket_buffers;
    counts.page_runs += piece.page_runs;
    left -= piece.bytes;
  }
}

}  // namespace

TapCounts CountTapSend(const TapSend& send) {
  const bool gathered = send.shape == FrameShape::kGathered;
  TapCounts counts;
  counts.iovecs = uint64_t{send.batch} * (gathered ? kGatheredParts : 1);
  counts.bytes_joined =
      gathered ? 0 : uint64_t{send.batch} * send.payload_bytes;
  counts.bytes_sent = uint64_t{send.batch} * FrameBytes(send);
  CutIntoSocketBuffers(send, counts);
  return counts;
}

uint64_t TapPsPerFrame(const Platform& platform, const TapSend& send) {
  const TapCounts counts = CountTapSend(send);
  const uint64_t nanos =
      platform.syscall().mode() +
      (counts.iovecs - 1) * platform.iovec().mode() +  // a call has one
      counts.socket_buffers * platform.packet_allocation().mode() +
      counts.page_runs * platform.unix_pages().mode();
  const uint64_t ps = nanos * kPsPerNs +
                      counts.bytes_sent * platform.copy().mode() +
                      counts.bytes_joined * platform.user_copy().mode();
  return ps / send.batch;
}

double PredictIovecGain(const Platform& platform, IpVersion ip) {
  const uint32_t data = (kPasstMtu - IpBytes(ip) - kTcpBytes) / kPage * kPage;
  TapSend send = {.shape = FrameShape::kContiguous,
                  .batch = kPasstBatch,
                  .payload_bytes = kTcpBytes + data,
                  .ip = ip};
  const auto contiguous = static_cast<double>(TapPsPerFrame(platform, send));
  send.shape = FrameShape::kGathered;
  return contiguous / static_cast<double>(TapPsPerFrame(platform, send));
}

}  // namespace sim
