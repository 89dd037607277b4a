#include "vsock/socket_table.h"

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"
#include "vsock/socket_error.h"

namespace vsock {

Socket& SocketTable::Add(Type type) {
  uint32_t index;
  if (free_.empty()) {
    index = static_cast<uint32_t>(slots_.size());
    slots_.push_back(std::make_unique<Slot>());
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = *slots_[index];
  ++slot.generation;
  slot.socket.id = SocketId(uint64_t{slot.generation} << 32 | index);
  slot.socket.type = type;
  ++size_;
  return slot.socket;
}

void SocketTable::Remove(SocketId id) {
  VSOCK_CHECK(Find(id) != nullptr);
  const uint32_t index = static_cast<uint32_t>(id.value());
  slots_[index]->socket = Socket();
  free_.push_back(index);
  --size_;
}

absl::Status SocketTable::Bind(Socket& socket, Port port) {
  if (port == kPortAny) {
    absl::StatusOr<Port> picked = PickPort(socket.type);
    if (!picked.ok()) return picked.status();
    port = *picked;
  }
  if (!bound_.emplace(BoundKey(socket.type, port), socket.id).second) {
    return AddressInUse(absl::StrCat("port ", port.value(), " is bound"));
  }
  socket.port = port;
  return absl::OkStatus();
}

absl::StatusOr<Port> SocketTable::PickPort(Type type) {
  const uint64_t range = uint64_t{last_auto_.value()} - first_auto_.value() + 1;
  for (uint64_t tried = 0; tried < range; ++tried) {
    const Port candidate = next_auto_;
    next_auto_ =
        candidate == last_auto_ ? first_auto_ : Port(candidate.value() + 1);
    if (FindBound(type, candidate) == nullptr) return candidate;
  }
  return AddressInUse("every automatic port is bound");
}

void SocketTable::Unbind(const Socket& socket) {
  if (!socket.port.has_value()) return;
  auto it = bound_.find(BoundKey(socket.type, *socket.port));
  if (it != bound_.end() && it->second == socket.id) bound_.erase(it);
}

Socket* SocketTable::FindBound(Type type, Port port) {
  auto it = bound_.find(BoundKey(type, port));
  return it == bound_.end() ? nullptr : Find(it->second);
}

absl::Status SocketTable::Connect(Socket& socket, Port local, Address remote) {
  if (!connected_.emplace(Flow{local, remote}, socket.id).second) {
    return AddressInUse(absl::StrCat("flow from port ", local.value(),
                                     " to port ", remote.port.value(),
                                     " is still held"));
  }
  socket.port = local;
  socket.peer = remote;
  return absl::OkStatus();
}

void SocketTable::Disconnect(const Socket& socket) {
  if (!socket.port.has_value() || !socket.peer.has_value()) return;
  auto it = connected_.find(Flow{*socket.port, *socket.peer});
  if (it != connected_.end() && it->second == socket.id) connected_.erase(it);
}

Socket* SocketTable::FindConnected(Port local, Address remote) {
  auto it = connected_.find(Flow{local, remote});
  return it == connected_.end() ? nullptr : Find(it->second);
}

void SocketTable::SetAutoPorts(Port first, Port last) {
  VSOCK_CHECK(first <= last);
  first_auto_ = next_auto_ = first;
  last_auto_ = last;
}

}  // namespace vsock
