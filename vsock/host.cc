#include "vsock/host.h"

#include <utility>

namespace vsock {
namespace {

uint64_t ArenaBytes(const Host::Options& options) {
  return options.payload == PayloadMode::kReal ? options.payload_bytes : 64;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Host>> Host::Create(const Options& options) {
  absl::StatusOr<virtqueue::OwnedGuestMemory> memory =
      virtqueue::OwnedGuestMemory::Create(ArenaBytes(options));
  if (!memory.ok()) return memory.status();
  return std::unique_ptr<Host>(new Host(options, *std::move(memory)));
}

Host::Host(const Options& options, virtqueue::OwnedGuestMemory memory)
    : memory_(std::move(memory)),
      arena_(PayloadArena::In(memory_, ArenaBytes(options))),
      pool_(options.payload, &arena_) {
  transport_ = std::make_unique<Transport>(options.transport, pool_, router_,
                                           tail_drop_);
}

absl::StatusOr<Device*> Host::AddGuest(const virtqueue::GuestMemory& memory,
                                       const GuestPort& port) {
  const Device::Options options = {.guest_cid = port.cid,
                                   .ring_size = port.rings.size,
                                   .event_idx = port.rings.event_idx,
                                   .indirect = port.rings.indirect,
                                   .in_order = port.rings.in_order,
                                   .rx = port.rings.rx,
                                   .tx = port.rings.tx,
                                   .packet_weight = port.packet_weight,
                                   .byte_weight = port.byte_weight};
  auto send_list = std::make_unique<PacketQueue>();
  absl::StatusOr<std::unique_ptr<Device>> device =
      Device::Create(memory, options, *transport_, pool_, *send_list);
  if (!device.ok()) return device.status();
  router_.Add(port.cid, *send_list);
  send_lists_.push_back(std::move(send_list));
  devices_.push_back(*std::move(device));
  return devices_.back().get();
}

}  // namespace vsock
