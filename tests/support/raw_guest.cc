#include "tests/support/raw_guest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/support/ring_view.h"
#include "virtqueue/check.h"
#include "vsock/features.h"

namespace vsock {
namespace {

using virtqueue::Descriptor;
using virtqueue::GuestAddr;

constexpr uint64_t kTxBase = 0x100000;
constexpr uint64_t kRxBase = 0x400000;
constexpr uint64_t kTable = 0x10000;    // from the base of a half
constexpr uint64_t kBuffers = 0x20000;  // the same
constexpr uint64_t kHalfBytes = 0x200000;

Host::Options HostOptions() {
  Host::Options options;
  options.transport.cid = kCidHost;
  options.transport.features = Features(Features::kStream | Features::kDgram);
  return options;
}

RawGuest::Piece Readable(uint32_t len) { return {.len = len}; }

}  // namespace

RawGuest::Half::Half(const HeapMemory& memory, uint64_t base)
    : addrs(virtqueue::LaySplitRing(GuestAddr(base), kRing)),
      ring(memory.memory(), addrs, kRing),
      table(base + kTable),
      buffers(base + kBuffers) {}

RawGuest::RawGuest(bool indirect)
    : memory_({{kTxBase, kHalfBytes}, {kRxBase, kHalfBytes}}),
      tx_(memory_, kTxBase),
      rx_(memory_, kRxBase) {
  auto host = Host::Create(HostOptions());
  VSOCK_CHECK(host.ok());
  host_ = *std::move(host);
  const RingLayout layout = {
      .size = kRing, .indirect = indirect, .rx = rx_.addrs, .tx = tx_.addrs};
  auto device =
      host_->AddGuest(memory_.memory(), {.cid = kCid, .rings = layout});
  VSOCK_CHECK(device.ok());
  device_ = *device;
}

VsockHdr RawGuest::Header(Type type, Op op, Port port, uint32_t len) {
  VsockHdr hdr;
  hdr.set_source({kCid, kPort});
  hdr.set_destination({kCidHost, port});
  hdr.set(type, op);
  hdr.len = len;
  hdr.buf_alloc = 262144;
  return hdr;
}

uint64_t RawGuest::Offer(Half& half, const Pieces& pieces, bool indirect) {
  if (half.ring.UsedIdx() == half.offered) {
    half.next_descriptor = 0;
    half.next_buffer = 0;
  }
  const uint64_t begin = half.buffers + half.next_buffer;
  std::vector<Descriptor> descs;
  for (const Piece& piece : pieces) {
    descs.push_back(
        {.addr = half.buffers + half.next_buffer,
         .len = piece.len,
         .flags = piece.writable ? virtqueue::kDescWrite : uint16_t{0}});
    half.next_buffer += piece.len;
  }
  OfferDescriptors(half, std::move(descs), indirect);
  return begin;
}

void RawGuest::OfferDescriptors(Half& half, std::vector<Descriptor> descs,
                                bool indirect) {
  const uint16_t first = half.next_descriptor;
  for (size_t i = 0; i + 1 < descs.size(); ++i) {
    descs[i].flags |= virtqueue::kDescNext;
    descs[i].next = static_cast<uint16_t>(i + 1 + (indirect ? 0 : first));
  }
  const auto count = static_cast<uint32_t>(descs.size());
  if (indirect) {
    const uint64_t table = half.table + 16 * kRing * first;
    half.ring.WriteTable(GuestAddr(table), descs);
    descs = {
        {.addr = table, .len = 16 * count, .flags = virtqueue::kDescIndirect}};
  }
  VSOCK_CHECK(first + descs.size() <= kRing);
  for (const Descriptor& desc : descs) {
    half.ring.SetDescriptor(half.next_descriptor++, desc);
  }
  half.ring.Offer(first);
  ++half.offered;
}

void RawGuest::OfferTx(const std::vector<std::byte>& bytes,
                       const Pieces& pieces, bool indirect) {
  uint32_t total = 0;
  for (const Piece& piece : pieces) total += piece.len;
  const uint64_t at = Offer(tx_, pieces, indirect);
  const absl::Span<std::byte> buffer = memory_.Bytes(at, total);
  std::memset(buffer.data(), 0, total);
  std::memcpy(buffer.data(), bytes.data(),
              std::min<size_t>(total, bytes.size()));
}

void RawGuest::OfferTx(const VsockHdr& hdr, uint32_t payload) {
  Pieces pieces = {Readable(kHdrBytes)};
  if (payload > 0) pieces.push_back(Readable(payload));
  OfferTx(WireBytes(hdr, {}), pieces);
}

void RawGuest::OfferRx(const Pieces& pieces, bool indirect) {
  Offer(rx_, pieces, indirect);
}

void RawGuest::OfferTxDescriptors(const std::vector<Descriptor>& descs) {
  for (uint16_t i = 0; i < descs.size(); ++i) {
    tx_.ring.SetDescriptor(i, descs[i]);
  }
  tx_.ring.Offer(0);
  ++tx_.offered;
}

void RawGuest::Serve() {
  bool more = device_->OnTxKick();
  more |= device_->OnRxKick();
  more |= device_->Submit();
  while (more) more = device_->Step(Instant(0)).more;
}

virtqueue::RawDriver::UsedElem RawGuest::LastUsed(const Half& half) const {
  const RingView view(memory_.memory(), half.addrs, kRing);
  const RingView::Used last =
      view.UsedEntry(static_cast<uint16_t>(view.used_idx() - 1));
  return {.id = last.id, .len = last.len};
}

std::vector<std::byte> RawGuest::LastRx() const {
  const RingView view(memory_.memory(), rx_.addrs, kRing);
  const virtqueue::RawDriver::UsedElem last = LastUsed(rx_);
  return view.Bytes(static_cast<uint16_t>(last.id), last.len);
}

VsockHdr RawGuest::LastRxHeader() const {
  VsockHdr hdr;
  const std::vector<std::byte> bytes = LastRx();
  std::memcpy(&hdr, bytes.data(), std::min(bytes.size(), sizeof(hdr)));
  return hdr;
}

std::vector<std::byte> WireBytes(const VsockHdr& hdr,
                                 const std::vector<std::byte>& payload) {
  std::vector<std::byte> bytes(sizeof(hdr) + payload.size());
  std::memcpy(bytes.data(), &hdr, sizeof(hdr));
  std::copy(payload.begin(), payload.end(), bytes.begin() + sizeof(hdr));
  return bytes;
}

}  // namespace vsock
