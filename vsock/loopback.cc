#include "vsock/loopback.h"

#include <utility>

#include "virtqueue/check.h"

namespace vsock {
namespace {

uint64_t ArenaBytes(const Loopback::Options& options) {
  return options.payload == PayloadMode::kReal ? options.payload_bytes : 64;
}

Transport::Options AtLocalCid(Transport::Options options) {
  options.cid = kCidLocal;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Loopback>> Loopback::Create(
    const Options& options) {
  absl::StatusOr<virtqueue::OwnedGuestMemory> memory =
      virtqueue::OwnedGuestMemory::Create(ArenaBytes(options));
  if (!memory.ok()) return memory.status();
  return std::unique_ptr<Loopback>(new Loopback(options, *std::move(memory)));
}

Loopback::Loopback(const Options& options, virtqueue::OwnedGuestMemory memory)
    : memory_(std::move(memory)),
      arena_(PayloadArena::In(memory_, ArenaBytes(options))),
      pool_(options.payload, &arena_) {
  router_.Add(kCidLocal, send_list_);
  transport_ = std::make_unique<Transport>(AtLocalCid(options.transport), pool_,
                                           router_, tail_drop_);
}

void Loopback::Inject(const VsockHdr& hdr) {
  PacketPtr packet = pool_.Allocate(0);
  packet->hdr = hdr;
  packet->hdr.len = 0;
  send_list_.PushBack(std::move(packet));
}

const Packet* Loopback::Take(Work& work) {
  VSOCK_CHECK(in_hand_ == nullptr);
  in_hand_ = send_list_.PopFront();
  if (in_hand_ == nullptr) return nullptr;
  work += transport_->OnSent(*in_hand_);
  return in_hand_.get();
}

Work Loopback::Deliver(Instant now) {
  VSOCK_CHECK(in_hand_ != nullptr);
  in_hand_->owner = SocketId();
  in_hand_->charge = 0;
  return transport_->Deliver(std::move(in_hand_), now);
}

}  // namespace vsock
