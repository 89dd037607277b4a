#include "sim/capture_reader.h"

#include <pcap/pcap.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "virtqueue/endian.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace sim {
namespace {

using virtqueue::Le16;
using virtqueue::Le32;
using virtqueue::Le64;

constexpr int kLinkTypeVsock = 271;
constexpr int64_t kLongestGapNs = 1000000000000000;
constexpr size_t kMostMessages = 1000000;

struct VsockmonHdr {  // struct af_vsockmon_hdr, linux/vsockmon.h
  Le64 src_cid, dst_cid;
  Le32 src_port, dst_port;
  Le16 op, transport, len, reserved;
};
static_assert(sizeof(VsockmonHdr) == 32 && alignof(VsockmonHdr) == 1,
              "wire layout");

constexpr uint16_t kTransportVirtio = 2;  // AF_VSK_TRANSPORT_VIRTIO

struct CloseCapture {
  void operator()(pcap_t* pcap) const { pcap_close(pcap); }
};
using Pcap = std::unique_ptr<pcap_t, CloseCapture>;

absl::StatusOr<Pcap> Open(const std::string& path) {
  char error[PCAP_ERRBUF_SIZE] = "";
  Pcap pcap(pcap_open_offline_with_tstamp_precision(
      path.c_str(), PCAP_TSTAMP_PRECISION_NANO, error));
  if (pcap == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a capture: ", error));
  }
  if (pcap_datalink(pcap.get()) != kLinkTypeVsock) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": link type ", pcap_datalink(pcap.get()),
                     ", expected ", kLinkTypeVsock, " (vsockmon)"));
  }
  return pcap;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

// The packet's header, once it is known to say the same as its capture.
absl::StatusOr<vsock::VsockHdr> ParsePacket(const pcap_pkthdr& info,
                                            const u_char* bytes) {
  VsockmonHdr monitor;
  vsock::VsockHdr hdr;
  if (info.caplen < sizeof(monitor) + sizeof(hdr)) {
    return Malformed(absl::StrCat("only ", info.caplen, " bytes, the headers ",
                                  "are ", sizeof(monitor) + sizeof(hdr)));
  }
  std::memcpy(&monitor, bytes, sizeof(monitor));
  if (monitor.transport != kTransportVirtio || monitor.len != sizeof(hdr)) {
    return Malformed(absl::StrCat("transport ", uint16_t{monitor.transport},
                                  " with ", uint16_t{monitor.len},
                                  " bytes of header, expected 2 (virtio) ",
                                  "with ", sizeof(hdr)));
  }
  std::memcpy(&hdr, bytes + sizeof(monitor), sizeof(hdr));
  if (hdr.is(vsock::Op::kRw) && hdr.len > vsock::kMaxPayload) {
    return Malformed(absl::StrCat("5.10.6: len ", uint32_t{hdr.len},
                                  " is above ", vsock::kMaxPayload));
  }
  if (hdr.is(vsock::Op::kRw) &&
      info.len != sizeof(monitor) + sizeof(hdr) + hdr.len) {
    return Malformed(absl::StrCat("len ", uint32_t{hdr.len}, " in a packet of ",
                                  info.len, " bytes"));
  }
  return hdr;
}

// Sorts packets into flows.
class Collector {
 public:
  absl::Status Add(const CapturedPacket& packet) {
    if (!packet.hdr.is(vsock::Type::kStream)) return absl::OkStatus();
    const vsock::FlowKey key = {packet.hdr.source(), packet.hdr.destination()};
    Flow& flow = Find(key, packet);
    if (!packet.hdr.is(vsock::Op::kRw) || packet.hdr.len == 0) {
      return absl::OkStatus();
    }
    return AddMessage(packet, key.local != flow.result.key.local, flow);
  }

  std::vector<CapturedFlow> Take() && {
    std::vector<CapturedFlow> taken;
    for (Flow& flow : flows_) {
      if (!flow.result.messages.empty()) {
        taken.push_back(std::move(flow.result));
      }
    }
    return taken;
  }

 private:
  struct Flow {
    CapturedFlow result;
    vsock::Instant last;
  };

  // A request opens a new flow, also between addresses that were seen before.
  Flow& Find(const vsock::FlowKey& key, const CapturedPacket& packet) {
    const vsock::FlowKey either = {std::min(key.local, key.remote),
                                   std::max(key.local, key.remote)};
    const auto found = open_.find(either);
    if (found != open_.end() && !packet.hdr.is(vsock::Op::kRequest)) {
      return flows_[found->second];
    }
    open_[either] = flows_.size();
    flows_.push_back({{key, {}}, packet.at});
    return flows_.back();
  }

  // A clock that goes back counts as standing still.
  static absl::Status AddMessage(const CapturedPacket& packet, bool reply,
                                 Flow& flow) {
    const int64_t gap = std::max(int64_t{0}, (packet.at - flow.last).value());
    if (gap > kLongestGapNs) return Malformed("comes more than 10^6 s later");
    if (flow.result.messages.size() == kMostMessages) {
      return Malformed("more than 1000000 messages in one flow");
    }
    flow.result.messages.push_back({vsock::Nanos(gap), packet.hdr.len, reply});
    flow.last = packet.at;
    return absl::OkStatus();
  }

  std::vector<Flow> flows_;
  absl::btree_map<vsock::FlowKey, size_t> open_;
};

using Visitor = absl::FunctionRef<absl::Status(const CapturedPacket&)>;

absl::Status VisitPacket(const pcap_pkthdr& info, const u_char* bytes,
                         Visitor visit) {
  const absl::StatusOr<vsock::VsockHdr> hdr = ParsePacket(info, bytes);
  if (!hdr.ok()) return hdr.status();
  // libpcap puts nanoseconds where the name says microseconds.
  const int64_t at = int64_t{info.ts.tv_sec} * 1000000000 + info.ts.tv_usec;
  return visit({vsock::Instant(at), *hdr});
}

// Errors of `visit` are told with the packet that they are about.
absl::Status ForEachPacket(const std::string& path, Visitor visit) {
  absl::StatusOr<Pcap> pcap = Open(path);
  if (!pcap.ok()) return pcap.status();
  pcap_pkthdr* info = nullptr;
  const u_char* bytes = nullptr;
  for (uint64_t packet = 1;; ++packet) {
    const int got = pcap_next_ex(pcap->get(), &info, &bytes);
    if (got == PCAP_ERROR_BREAK) return absl::OkStatus();
    const absl::Status status = got == 1 ? VisitPacket(*info, bytes, visit)
                                         : Malformed(pcap_geterr(pcap->get()));
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": packet ", packet, ": ", status.message()));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<CapturedPacket>> ReadPackets(
    const std::string& path) {
  std::vector<CapturedPacket> packets;
  const absl::Status status =
      ForEachPacket(path, [&](const CapturedPacket& packet) {
        packets.push_back(packet);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return packets;
}

absl::StatusOr<std::vector<CapturedFlow>> ReadCapture(const std::string& path) {
  Collector collector;
  const absl::Status status = ForEachPacket(
      path,
      [&](const CapturedPacket& packet) { return collector.Add(packet); });
  if (!status.ok()) return status;
  return std::move(collector).Take();
}

}  // namespace sim
