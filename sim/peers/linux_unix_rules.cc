#include "sim/peers/linux_unix_rules.h"

#include <algorithm>
#include <bit>

#include "vsock/truesize.h"

namespace sim {
namespace {

constexpr uint32_t kPage = 4096;
constexpr uint32_t kMostOrder = 3;  // of a run of pages: 32 KiB
constexpr uint32_t kRun = kPage << kMostOrder;
// Data in a head of one page, and of four pages.
constexpr uint32_t kPageHead = kPage - vsock::kSkbTailBytes;
constexpr uint32_t kLargeHead = 4 * kPage - vsock::kSkbTailBytes;
constexpr uint32_t kPieceOverhead = 64;
constexpr uint32_t kMessageOverhead = 32;
constexpr uint32_t kMostPaged = 17 * kPage;  // MAX_SKB_FRAGS
// Heads above this are pages too.
constexpr uint32_t kLargestSlab = 2 * kPage;

uint32_t PageAlign(uint32_t bytes) { return (bytes + kPage - 1) & -kPage; }

// Each run is as long as what is left fills.
uint32_t RunsOf(uint32_t bytes) {
  const uint32_t pages = PageAlign(bytes) / kPage;
  return pages / (kRun / kPage) +
         static_cast<uint32_t>(std::popcount(pages % (kRun / kPage)));
}

// A socket buffer with the last `paged` of its bytes in pages.
UnixPiece PieceOf(uint32_t bytes, uint32_t paged) {
  const uint32_t slab = vsock::SlabBytes(bytes - paged + vsock::kSkbTailBytes);
  return {
      .bytes = bytes,
      .charge = slab + vsock::kSkbStructBytes + PageAlign(paged),
      .page_runs = RunsOf(paged) + (slab > kLargestSlab ? RunsOf(slab) : 0)};
}

// What goes to pages of a socket buffer whose head holds `head` bytes.
uint32_t Paged(uint32_t bytes, uint32_t head) {
  if (bytes <= head) return 0;
  return std::min(bytes, PageAlign(std::min(bytes - head, kMostPaged)));
}

}  // namespace

uint32_t LinuxUnixRules::SendBuffer(Type, std::optional<uint32_t> asked,
                                    const Scenario::Kernel& kernel) const {
  const vsock::SocketBufferLimits limits = {
      .max = kernel.wmem_max_bytes(),
      .initial = kernel.wmem_default_bytes(),
      .floor = vsock::kSendBufferFloor};
  return asked.has_value() ? limits.Effective(*asked) : limits.initial;
}

uint32_t LinuxUnixRules::ReceiveBuffer(Type, std::optional<uint32_t> asked,
                                       const Scenario::Kernel& kernel) const {
  const vsock::SocketBufferLimits limits = {
      .max = kernel.rmem_max_bytes(),
      .initial = kernel.rmem_default_bytes(),
      .floor = vsock::kReceiveBufferFloor};
  return asked.has_value() ? limits.Effective(*asked) : limits.initial;
}

UnixPiece LinuxUnixRules::StreamPiece(const UnixView& view,
                                      uint32_t left) const {
  if (view.charged >= view.send_buffer) return {};
  const uint32_t bytes =
      std::min({left, view.send_buffer / 2 - kPieceOverhead, kPageHead + kRun});
  return PieceOf(bytes, Paged(bytes, kPageHead));
}

UnixVerdict LinuxUnixRules::Admit(const UnixView& view, uint32_t bytes) const {
  if (bytes > view.send_buffer - kMessageOverhead) return UnixVerdict::kTooBig;
  if (view.charged >= view.send_buffer) return UnixVerdict::kWait;
  return QueueHasRoom(view) ? UnixVerdict::kGo : UnixVerdict::kWait;
}

UnixPiece LinuxUnixRules::Datagram(uint32_t bytes) const {
  return PieceOf(bytes, Paged(bytes, kLargeHead));
}

}  // namespace sim
