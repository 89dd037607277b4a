#include "sim/peers/bsd_unix_rules.h"

#include <algorithm>

namespace sim {
namespace {

constexpr uint32_t kCluster = 2048;     // MCLBYTES
constexpr uint32_t kLowWater = 2048;    // sb_lowat of a send buffer
constexpr uint32_t kMostChain = 65536;  // bytes handed over at once
constexpr uint32_t kAddressBytes = 16;  // of a sender without a name
constexpr uint32_t kStreamBuffer = 8192;
constexpr uint32_t kDatagramSend = 2048;
constexpr uint32_t kDatagramReceive = 4096;

uint32_t ClustersOf(uint32_t bytes) {
  return (bytes + kCluster - 1) / kCluster;
}

}  // namespace

uint32_t BsdUnixRules::SendBuffer(Type type, std::optional<uint32_t> asked,
                                  const Scenario::Kernel&) const {
  return asked.value_or(type == Scenario::Flow::STREAM ? kStreamBuffer
                                                       : kDatagramSend);
}

uint32_t BsdUnixRules::ReceiveBuffer(Type type, std::optional<uint32_t> asked,
                                     const Scenario::Kernel&) const {
  return asked.value_or(type == Scenario::Flow::STREAM ? kStreamBuffer
                                                       : kDatagramReceive);
}

UnixPiece BsdUnixRules::StreamPiece(const UnixView& view, uint32_t left) const {
  const uint32_t window = window_ == Scenario::Unix::SENDER
                              ? view.send_buffer
                              : view.receive_buffer;
  const uint32_t space =
      window - static_cast<uint32_t>(std::min<uint64_t>(view.charged, window));
  if (space < std::min({left, kLowWater, window})) return {};
  const uint32_t bytes = std::min({left, space, kMostChain});
  return {.bytes = bytes, .charge = bytes, .page_runs = ClustersOf(bytes)};
}

UnixVerdict BsdUnixRules::Admit(const UnixView& view, uint32_t bytes) const {
  if (bytes > view.send_buffer) return UnixVerdict::kTooBig;
  const uint64_t with = view.queued_charge + Datagram(bytes).charge;
  return with > view.receive_buffer ? UnixVerdict::kFull : UnixVerdict::kGo;
}

UnixPiece BsdUnixRules::Datagram(uint32_t bytes) const {
  return {.bytes = bytes,
          .charge = bytes + kAddressBytes,
          .page_runs = ClustersOf(bytes)};
}

}  // namespace sim
