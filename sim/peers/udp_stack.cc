#include "sim/peers/udp_stack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace sim {
namespace {

using vsock::SocketId;

// 10.0.0.1 is the host, 10.0.0.2 the guest.
uint32_t IpOf(vsock::Cid cid) {
  return cid == vsock::kCidHost ? 0x0a000001 : 0x0a000002;
}

uint32_t MostKept(vsock::PayloadMode mode) {
  return mode == vsock::PayloadMode::kReal ? kUdpBytes + kMostUdpPayload
                                           : kUdpBytes + vsock::kStampBytes;
}

}  // namespace

UdpStack::UdpStack(const Options& options)
    : options_(options),
      sockets_(options.endpoint),
      reassembly_(MostKept(options.payload)) {}

UdpFlow UdpStack::FlowTo(SocketId id, vsock::Port to) const {
  const vsock::Port from = sockets_.LocalAddress(id).port;
  return {.source_ip = IpOf(options_.endpoint.cid),
          .destination_ip = IpOf(options_.peer),
          .source_port = static_cast<uint16_t>(from.value()),
          .destination_port = static_cast<uint16_t>(to.value())};
}

vsock::SendResult UdpStack::Send(SocketId id, const vsock::Message& message,
                                 std::vector<NetFrame>& frames) {
  frames.clear();
  if (message.len > kMostUdpPayload) {
    return {.status = absl::InvalidArgumentError(
                absl::StrCat("EMSGSIZE: ", message.len,
                             " bytes are more than the 65507 of a datagram"))};
  }
  if (!sockets_.send_buffer(id).HasRoom()) {
    return {.blocked = vsock::Blocked::kSendBuffer};
  }
  frames.resize(FragmentCount(message.len, options_.mtu));
  const uint32_t total = kUdpBytes + message.len;
  uint32_t offset = 0;
  for (NetFrame& frame : frames) {
    const Fragment fragment = FragmentAt(offset, total, options_.mtu);
    frame.bytes = kKeptHeaders + fragment.bytes;
    offset += fragment.bytes;
  }
  if (!ChargeFrames(id, frames)) {
    return {.status = absl::ResourceExhaustedError(
                "ENOBUFS: the fragments take twice SO_SNDBUF")};
  }
  const UdpFlow flow = FlowTo(id, message.to->port);
  const std::optional<uint16_t> ip_id =
      ledger_.Begin(vsock::Port(flow.source_port), message.len,
                    static_cast<uint32_t>(frames.size()));
  if (!ip_id.has_value()) {
    for (const NetFrame& frame : frames) {
      sockets_.Release(id, frame.send_charge);
    }
    frames.clear();
    return {.status = absl::ResourceExhaustedError(
                "ENOBUFS: every IP id is under way")};
  }
  WriteFrames(flow, *ip_id, message, frames);
  const auto count = static_cast<uint32_t>(frames.size());
  return {.accepted = message.len,
          .work = {.bytes_copied = message.len,
                   .packets = count,
                   .allocations = count,
                   .syscalls = 1}};
}

// False, and nothing charged, if they do not all fit.
bool UdpStack::ChargeFrames(SocketId id, std::vector<NetFrame>& frames) {
  const vsock::SendBuffer& buffer = sockets_.send_buffer(id);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (i > 0 && buffer.charged() > uint64_t{2} * buffer.limit()) {
      for (size_t j = 0; j < i; ++j) {
        sockets_.Release(id, frames[j].send_charge);
      }
      frames.clear();
      return false;
    }
    frames[i].owner = id;
    frames[i].send_charge = SendTrueSize(frames[i].bytes);
    sockets_.Charge(id, frames[i].send_charge);
  }
  return true;
}

void UdpStack::WriteFrames(const UdpFlow& flow, uint16_t id,
                           const vsock::Message& message,
                           std::vector<NetFrame>& frames) const {
  const uint32_t total = kUdpBytes + message.len;
  Fragment fragment;
  for (NetFrame& frame : frames) {
    fragment =
        FragmentAt(fragment.offset + fragment.bytes, total, options_.mtu);
    frame.kept.resize(KeptOfFrame(options_.payload, frame.bytes));
    const absl::Span<std::byte> kept = absl::MakeSpan(frame.kept);
    WriteFrameHeaders(flow, id, fragment, kept);
    absl::Span<std::byte> rest = kept.subspan(kKeptHeaders);
    const bool first = fragment.offset == 0;
    if (first) {
      WriteUdpHeader(flow, message.len, rest);
      rest = rest.subspan(kUdpBytes);
    }
    // What an elided message does not hold stays zero.
    const uint32_t from = first ? 0 : fragment.offset - kUdpBytes;
    const uint32_t held = vsock::KeptBytes(options_.payload, message.len);
    if (message.data == nullptr || from >= held) continue;
    std::memcpy(rest.data(), message.data + from,
                std::min<size_t>(rest.size(), held - from));
  }
}

UdpStack::Outcome UdpStack::Receive(const NetFrame& frame, vsock::Instant now) {
  const std::optional<ParsedFrame> parsed = ParseFrame(frame.kept, frame.bytes);
  if (!parsed.has_value()) return Outcome::kMalformed;
  const absl::Span<const std::byte> kept =
      absl::MakeConstSpan(frame.kept).subspan(kKeptHeaders);
  if (parsed->fragment.whole()) {
    return Deliver(*parsed, {.bytes = parsed->fragment.bytes,
                             .charge = frame.receive_charge,
                             .kept = {kept.begin(), kept.end()}});
  }
  Reassembly::Result result =
      reassembly_.Add(*parsed, kept, frame.receive_charge, now);
  switch (result.verdict) {
    case Reassembly::Verdict::kKept:
      return Outcome::kKept;
    case Reassembly::Verdict::kComplete:
      return Deliver(*parsed, std::move(result.payload));
    case Reassembly::Verdict::kNoMemory:
      return Outcome::kReassemblyFull;
    case Reassembly::Verdict::kDuplicate:
    case Reassembly::Verdict::kSpoiled:
      break;
  }
  return Outcome::kMalformed;
}

UdpStack::Outcome UdpStack::Deliver(const ParsedFrame& frame,
                                    IpPayload payload) {
  const std::optional<ParsedUdp> udp = ParseUdp(payload.kept, payload.bytes);
  if (!udp.has_value() || frame.source_ip != IpOf(options_.peer) ||
      frame.destination_ip != IpOf(options_.endpoint.cid)) {
    return Outcome::kMalformed;
  }
  const size_t held =
      std::min<size_t>(payload.kept.size() - kUdpBytes, udp->payload);
  const auto* first = payload.kept.data() + kUdpBytes;
  const DatagramEndpoint::Verdict verdict =
      sockets_.Deliver(vsock::Port(udp->destination_port),
                       {.from = {options_.peer, vsock::Port(udp->source_port)},
                        .bytes = udp->payload,
                        .charge = payload.charge,
                        .kept = {first, first + held}});
  switch (verdict) {
    case DatagramEndpoint::Verdict::kQueued:
      return Outcome::kQueued;
    case DatagramEndpoint::Verdict::kNoSocket:
      return Outcome::kNoSocket;
    case DatagramEndpoint::Verdict::kReceiveBufferFull:
      break;
  }
  return Outcome::kReceiveBufferFull;
}

}  // namespace sim
