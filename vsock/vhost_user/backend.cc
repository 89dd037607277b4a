#include "vsock/vhost_user/backend.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "virtqueue/endian.h"
#include "virtqueue/ring_format.h"

namespace vsock::vhost_user {
namespace {

using virtqueue::GuestAddr;
using virtqueue::RingAddrs;

// struct virtio_vsock_config, 5.10.4: guest_cid.
constexpr uint32_t kConfigBytes = 8;

absl::Status Fault(Request request, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("vhost-user ", RequestName(request), ": ", what));
}

BackendActions::File FileOf(Request request) {
  switch (request) {
    case Request::kSetVringKick:
      return BackendActions::File::kKick;
    case Request::kSetVringCall:
      return BackendActions::File::kCall;
    default:
      return BackendActions::File::kError;
  }
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> Backend::Handle(
    const Message& message, std::vector<FileDescriptor> files) {
  const Request request = message.header.request;
  absl::StatusOr<Answer> answer = Do(message, files);
  if (!answer.ok()) return answer.status();
  if (absl::Status s = Settle(); !s.ok()) return s;
  if (!answer->empty() || !message.header.needs_reply() ||
      (protocol_features_ & kReplyAck) == 0) {
    return answer;
  }
  // The configuration of a socket device is not the driver's to write, 5.10.4.
  const bool refused = request == Request::kSetConfig;
  return EncodeReply(request, uint64_t{refused});
}

absl::StatusOr<Backend::Answer> Backend::Do(
    const Message& message, std::vector<FileDescriptor>& files) {
  const Request request = message.header.request;
  const Body& body = message.body;
  switch (request) {
    case Request::kGetFeatures:
      return EncodeReply(request, options_.features | kProtocolFeatures);
    case Request::kGetProtocolFeatures:
      return EncodeReply(request, kOffered);
    case Request::kGetQueueNum:
      return EncodeReply(request, uint64_t{kQueues});
    case Request::kGetVringBase:
      return GetVringBase(std::get<VringState>(body));
    case Request::kGetConfig:
      return GetConfig(std::get<ConfigSpace>(body));
    default:
      break;
  }
  if (absl::Status s = Set(message, files); !s.ok()) return s;
  return Answer();
}

absl::Status Backend::Set(const Message& message,
                          std::vector<FileDescriptor>& files) {
  const Request request = message.header.request;
  const Body& body = message.body;
  switch (request) {
    case Request::kSetFeatures:
      return SetFeatures(std::get<uint64_t>(body));
    case Request::kSetProtocolFeatures:
      return SetProtocolFeatures(std::get<uint64_t>(body));
    case Request::kSetMemTable:
      return SetMemTable(std::get<MemoryTable>(body), files);
    case Request::kSetVringNum:
      return SetVringNum(std::get<VringState>(body));
    case Request::kSetVringAddr:
      return SetVringAddr(std::get<VringAddr>(body));
    case Request::kSetVringBase:
      return SetVringBase(std::get<VringState>(body));
    case Request::kSetVringKick:
    case Request::kSetVringCall:
    case Request::kSetVringErr:
      return SetVringFile(request, std::get<VringFile>(body), files);
    case Request::kSetVringEnable:
      return SetVringEnable(std::get<VringState>(body));
    case Request::kResetOwner:
      for (Ring& ring : rings_) ring.enabled = false;
      return absl::OkStatus();
    case Request::kResetDevice:
      ResetDevice();
      return absl::OkStatus();
    default:
      return absl::OkStatus();  // SET_OWNER and SET_CONFIG ask nothing of it
  }
}

absl::Status Backend::SetFeatures(uint64_t features) {
  const uint64_t offered = options_.features | kProtocolFeatures;
  if ((features & ~offered) != 0) {
    return Fault(Request::kSetFeatures,
                 absl::StrFormat("%#x was not offered", features & ~offered));
  }
  if (running_ && features != features_) {
    return Fault(Request::kSetFeatures, "the device runs");
  }
  features_ = features;
  // Without protocol features there is no SET_VRING_ENABLE.
  if ((features & kProtocolFeatures) == 0) {
    for (Ring& ring : rings_) ring.enabled = true;
  }
  return absl::OkStatus();
}

absl::Status Backend::SetProtocolFeatures(uint64_t features) {
  if ((features & ~kOffered) != 0) {
    return Fault(Request::kSetProtocolFeatures,
                 absl::StrFormat("%#x was not offered", features & ~kOffered));
  }
  protocol_features_ = features;
  return absl::OkStatus();
}

// A device that runs goes on in the new memory, where it stopped.
absl::Status Backend::SetMemTable(const MemoryTable& table,
                                  std::vector<FileDescriptor>& files) {
  StopDevice();
  memory_.clear();
  if (absl::Status s = actions_.SetMemory(table, std::move(files)); !s.ok()) {
    return s;
  }
  memory_ = table;
  return absl::OkStatus();
}

absl::Status Backend::SetVringNum(const VringState& state) {
  constexpr Request kThis = Request::kSetVringNum;
  absl::StatusOr<Ring*> ring = RingOf(kThis, state.index);
  if (!ring.ok()) return ring.status();
  if (absl::Status s = CheckStopped(kThis); !s.ok()) return s;
  if (state.num == 0 || state.num > virtqueue::kMaxQueueSize) {
    return Fault(kThis, absl::StrCat("a ring of ", state.num));
  }
  (*ring)->size = static_cast<uint16_t>(state.num);
  return absl::OkStatus();
}

absl::Status Backend::SetVringAddr(const VringAddr& addr) {
  constexpr Request kThis = Request::kSetVringAddr;
  absl::StatusOr<Ring*> ring = RingOf(kThis, addr.index);
  if (!ring.ok()) return ring.status();
  if (addr.flags != 0) return Fault(kThis, "logging was not offered");
  VringAddr& now = (*ring)->addr;
  const bool same =
      now.desc == addr.desc && now.avail == addr.avail && now.used == addr.used;
  if (!same) {
    if (absl::Status s = CheckStopped(kThis); !s.ok()) return s;
  }
  now = addr;
  (*ring)->has_addr = true;
  return absl::OkStatus();
}

absl::Status Backend::SetVringBase(const VringState& state) {
  constexpr Request kThis = Request::kSetVringBase;
  absl::StatusOr<Ring*> ring = RingOf(kThis, state.index);
  if (!ring.ok()) return ring.status();
  if (absl::Status s = CheckStopped(kThis); !s.ok()) return s;
  (*ring)->base = state.num;
  (*ring)->base_given = true;
  return absl::OkStatus();
}

absl::StatusOr<Backend::Answer> Backend::GetVringBase(const VringState& state) {
  constexpr Request kThis = Request::kGetVringBase;
  absl::StatusOr<Ring*> ring = RingOf(kThis, state.index);
  if (!ring.ok()) return ring.status();
  StopDevice();
  (*ring)->started = false;
  if (absl::Status s = actions_.SetFile(BackendActions::File::kKick,
                                        state.index, FileDescriptor());
      !s.ok()) {
    return s;
  }
  return EncodeReply(kThis,
                     VringState{.index = state.index, .num = BaseOf(**ring)});
}

absl::Status Backend::SetVringFile(Request request, const VringFile& file,
                                   std::vector<FileDescriptor>& files) {
  absl::StatusOr<Ring*> ring = RingOf(request, file.index);
  if (!ring.ok()) return ring.status();
  FileDescriptor fd;
  if (file.has_file) {
    if (files.size() != 1) return Fault(request, "no descriptor came with it");
    fd = std::move(files[0]);
  }
  if (request == Request::kSetVringKick) (*ring)->started = true;
  return actions_.SetFile(FileOf(request), file.index, std::move(fd));
}

absl::Status Backend::SetVringEnable(const VringState& state) {
  constexpr Request kThis = Request::kSetVringEnable;
  absl::StatusOr<Ring*> ring = RingOf(kThis, state.index);
  if (!ring.ok()) return ring.status();
  if (state.num > 1) return Fault(kThis, absl::StrCat("the state ", state.num));
  if ((features_ & kProtocolFeatures) == 0) {
    return Fault(kThis, "protocol features were not negotiated");
  }
  (*ring)->enabled = state.num == 1;
  return absl::OkStatus();
}

Backend::Answer Backend::GetConfig(const ConfigSpace& asked) const {
  ConfigSpace config = {.offset = asked.offset, .flags = asked.flags};
  const auto size = static_cast<uint32_t>(asked.bytes.size());
  if (asked.offset <= kConfigBytes && size <= kConfigBytes - asked.offset) {
    const virtqueue::Le64 cid(options_.guest_cid.value());
    const auto* bytes = reinterpret_cast<const std::byte*>(&cid);
    config.bytes.assign(bytes + asked.offset, bytes + asked.offset + size);
  }
  return EncodeReply(Request::kGetConfig, config);
}

void Backend::ResetDevice() {
  StopDevice();
  rings_ = {};
  features_ = 0;
}

absl::StatusOr<Backend::Ring*> Backend::RingOf(Request request,
                                               uint32_t index) {
  if (index >= kQueues) {
    return Fault(request, absl::StrCat("ring ", index, " of ", kQueues));
  }
  return &rings_[index];
}

absl::Status Backend::CheckStopped(Request request) const {
  if (!running_) return absl::OkStatus();
  return Fault(request, "the ring runs");
}

// Makes the device run or not, as the rings are.
absl::Status Backend::Settle() {
  const bool wanted =
      !memory_.empty() &&
      std::all_of(rings_.begin(), rings_.end(), [](const Ring& ring) {
        return ring.size != 0 && ring.has_addr && ring.started && ring.enabled;
      });
  if (wanted == running_) return absl::OkStatus();
  if (wanted) return StartDevice();
  StopDevice();
  return absl::OkStatus();
}

// A packed ring's base without its upper half comes from a front end that
// leaves out where used descriptors go on: where the others do, if none is in
// flight.
RingBase Backend::BaseOf(const Ring& ring) const {
  if (!ring.base.has_value()) return Begin();
  const RingBase base = *ring.base;
  return IsPacked() && base >> 16 == 0 ? base << 16 | base : base;
}

absl::Status Backend::StartDevice() {
  DeviceSetup setup = {.features = features_ & ~kProtocolFeatures,
                       .resumes = true};
  for (size_t i = 0; i < kQueues; ++i) {
    Ring& ring = rings_[i];
    absl::StatusOr<RingAddrs> addrs = Translate(ring.addr);
    if (!addrs.ok()) return addrs.status();
    const RingBase base = BaseOf(ring);
    setup.rings[i] = {.size = ring.size, .addrs = *addrs, .base = base};
    // A ring that the front end sets to its begin has a driver that is new.
    if (base == Begin() && (ring.base_given || !ring.base.has_value())) {
      setup.resumes = false;
    }
    ring.base_given = false;
  }
  running_ = actions_.Start(setup);
  if (!running_) {
    for (Ring& ring : rings_) ring.started = false;
  }
  return absl::OkStatus();
}

void Backend::StopDevice() {
  if (!running_) return;
  running_ = false;
  const std::array<RingBase, kQueues> bases = actions_.Stop();
  for (size_t i = 0; i < kQueues; ++i) rings_[i].base = bases[i];
}

absl::StatusOr<RingAddrs> Backend::Translate(const VringAddr& addr) const {
  absl::StatusOr<GuestAddr> desc = Translate(addr.desc);
  absl::StatusOr<GuestAddr> avail = Translate(addr.avail);
  absl::StatusOr<GuestAddr> used = Translate(addr.used);
  for (const absl::StatusOr<GuestAddr>& part : {desc, avail, used}) {
    if (!part.ok()) return part.status();
  }
  if (IsPacked()) {
    return virtqueue::PackedRingAddrs{
        .desc = *desc, .driver_events = *avail, .device_events = *used};
  }
  return virtqueue::SplitRingAddrs{
      .desc = *desc, .avail = *avail, .used = *used};
}

absl::StatusOr<GuestAddr> Backend::Translate(uint64_t user_address) const {
  for (const MemoryRegion& region : memory_) {
    const uint64_t offset = user_address - region.user_address;
    if (offset < region.size) return GuestAddr(region.guest_address + offset);
  }
  return Fault(Request::kSetVringAddr,
               absl::StrFormat("%#x is in no memory region", user_address));
}

}  // namespace vsock::vhost_user
