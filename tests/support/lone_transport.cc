#include "tests/support/lone_transport.h"

#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "virtqueue/check.h"

namespace vsock {
namespace {

constexpr size_t kMemoryBytes = 4 << 20;

const Router& WithDefault(Router& router, PacketQueue& list) {
  router.SetDefault(list);
  return router;
}

}  // namespace

Transport::Options LoneTransport::Defaults() {
  Transport::Options options;
  options.cid = kCid;
  options.features = Features(Features::kStream | Features::kDgram);
  return options;
}

LoneTransport::LoneTransport(const Transport::Options& options)
    : memory_(kMemoryBytes),
      arena_(absl::MakeSpan(memory_), virtqueue::GuestAddr(0)),
      pool_(PayloadMode::kReal, &arena_),
      sockets_(options, pool_, WithDefault(router_, send_list_), tail_drop_) {}

VsockHdr LoneTransport::FromPeer(Port port, Type type, Op op) {
  VsockHdr hdr;
  hdr.set_source(kPeer);
  hdr.set_destination({kCid, port});
  hdr.set(type, op);
  hdr.buf_alloc = 262144;
  return hdr;
}

void LoneTransport::Deliver(Port port, Type type, Op op, uint32_t len,
                            uint32_t flags) {
  VsockHdr hdr = FromPeer(port, type, op);
  hdr.len = len;
  hdr.flags = flags;
  DeliverHdr(hdr);
}

void LoneTransport::DeliverHdr(const VsockHdr& hdr) {
  PacketPtr packet = pool_.Allocate(hdr.len);
  VSOCK_CHECK(packet != nullptr);
  packet->hdr = hdr;
  std::memset(packet->data, 0, hdr.len);
  sockets_.Deliver(std::move(packet), Instant(0));
}

std::vector<VsockHdr> LoneTransport::TakeSent() {
  std::vector<VsockHdr> sent;
  while (PacketPtr packet = send_list_.PopFront()) {
    sent.push_back(packet->hdr);
    sockets_.OnSent(*packet);
  }
  return sent;
}

}  // namespace vsock
