#include "tests/vhost_user/test_guest.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "virtqueue/check.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "vsock/effects.h"
#include "vsock/features.h"
#include "vsock/units.h"
#include "vsock/vhost_user/backend.h"
#include "vsock/vhost_user/event_file.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {
namespace {

using virtqueue::GuestAddr;
using virtqueue::OwnedGuestMemory;
using virtqueue::RingFormat;

constexpr Cid kGuestCid{3};
constexpr uint64_t kPayloadBytes = 8 << 20;

FileDescriptor NewEvent() {
  return FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

bool TakeEvent(const FileDescriptor& file) {
  uint64_t count;
  return read(file.get(), &count, sizeof(count)) == sizeof(count);
}

// Where the three parts of a ring are: descriptors, then what the driver
// writes, then what the device writes.
std::array<GuestAddr, 3> PartsOf(const virtqueue::RingAddrs& addrs) {
  if (const auto* packed = std::get_if<virtqueue::PackedRingAddrs>(&addrs)) {
    return {packed->desc, packed->driver_events, packed->device_events};
  }
  const auto& split = std::get<virtqueue::SplitRingAddrs>(addrs);
  return {split.desc, split.avail, split.used};
}

}  // namespace

TestGuest::TestGuest(const Options& options)
    : options_(options), file_(memfd_create("guest", MFD_CLOEXEC)) {
  VSOCK_CHECK(ftruncate(file_.get(), kMemoryBytes) == 0);
  auto memory = OwnedGuestMemory::Create(kMemoryBytes, GuestAddr(kBase));
  VSOCK_CHECK(memory.ok());
  memory_ = *std::move(memory);
  // In the place of bytes that nobody else could map.
  const absl::Span<std::byte> bytes = Memory(GuestAddr(kBase), kMemoryBytes);
  VSOCK_CHECK(mmap(bytes.data(), bytes.size(), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file_.get(), 0) == bytes.data());
  for (size_t i = 0; i < kQueues; ++i) {
    kicks_[i] = NewEvent();
    calls_[i] = NewEvent();
    errors_[i] = NewEvent();
  }
  Boot();
}

TestGuest::~TestGuest() = default;

absl::Span<std::byte> TestGuest::Memory(GuestAddr at, uint32_t bytes) {
  return memory_->memory().TrySlice(at, bytes);
}

// The front end.

void TestGuest::Connect(const std::string& socket) {
  absl::StatusOr<FileDescriptor> connection = ConnectUnix(socket);
  VSOCK_CHECK(connection.ok());
  connection_ = *std::move(connection);
}

void TestGuest::Write(absl::Span<const std::byte> bytes,
                      absl::Span<const int> files) {
  const Moved moved = WriteWithFiles(connection_.get(), bytes, files);
  VSOCK_CHECK(moved.bytes == bytes.size());
}

void TestGuest::Send(Request request, const Body& body,
                     absl::Span<const int> files, uint32_t flags) {
  Write(EncodeRequest(request, flags, body), files);
}

std::optional<std::vector<std::byte>> TestGuest::Answer() {
  std::array<uint32_t, 3> header;
  const Moved head =
      ReadSome(connection_.get(),
               absl::MakeSpan(reinterpret_cast<std::byte*>(header.data()), 12));
  if (head.bytes != 12) return std::nullopt;
  VSOCK_CHECK((header[1] & Header::kReply) != 0);
  std::vector<std::byte> payload(header[2]);
  if (payload.empty()) return payload;
  const Moved body = ReadSome(connection_.get(), absl::MakeSpan(payload));
  VSOCK_CHECK(body.bytes == payload.size());
  return payload;
}

bool TestGuest::HungUp() {
  std::byte next;
  const Moved moved = ReadSome(connection_.get(), absl::MakeSpan(&next, 1));
  return moved.ended || !moved.status.ok();
}

void TestGuest::SendSetUp(std::array<RingBase, kQueues> bases) {
  Send(Request::kGetFeatures);
  Send(Request::kGetProtocolFeatures);
  Send(Request::kSetProtocolFeatures, Backend::kOffered);
  Send(Request::kGetQueueNum);
  Send(Request::kSetOwner);
  Send(Request::kGetConfig,
       ConfigSpace{.offset = 0, .bytes = std::vector<std::byte>(8)});
  for (uint32_t i = 0; i < kQueues; ++i) {
    Send(Request::kSetVringErr, VringFile{i, true}, {errors_[i].get()});
    Send(Request::kSetVringCall, VringFile{i, true}, {calls_[i].get()});
  }
  const bool packed = options_.format == RingFormat::kPacked;
  Send(Request::kSetFeatures,
       Backend::kProtocolFeatures | kVersion1 | Features::kStream |
           (options_.datagrams ? Features::kDgram : 0) |
           (options_.event_idx ? kEventIdx : 0) |
           (options_.indirect ? kIndirectDesc : 0) |
           (options_.in_order ? kInOrder : 0) | (packed ? kRingPacked : 0));
  SendMemory();
  SendRings(bases);
}

// Two regions of one file, as QEMU has them below and above the hole for video
// memory; payloads lie across the border, rings above it.
void TestGuest::SendMemory() {
  const uint64_t user = UserAddress(GuestAddr(kBase));
  Send(Request::kSetMemTable,
       MemoryTable{
           {kBase, kBorder, user, 0},
           {kBase + kBorder, kMemoryBytes - kBorder, user + kBorder, kBorder}},
       {file_.get(), file_.get()});
}

void TestGuest::SendRings(std::array<RingBase, kQueues> bases) {
  for (uint32_t i = 0; i < kQueues; ++i) SendRing(i, bases[i]);
  for (uint32_t i = 0; i < kQueues; ++i) {
    Send(Request::kSetVringEnable, VringState{i, 1});
  }
  for (uint32_t i = 0; i < kQueues; ++i) {
    Send(Request::kSetVringCall, VringFile{i, true}, {calls_[i].get()});
  }
}

void TestGuest::SendRing(uint32_t queue, RingBase base) {
  const RingLayout& layout = driver_->layout();
  const std::array<GuestAddr, 3> parts =
      PartsOf(queue == kRxQueue ? layout.rx : layout.tx);
  Send(Request::kSetVringNum, VringState{queue, layout.size});
  Send(Request::kSetVringBase, VringState{queue, base});
  Send(Request::kSetVringAddr, VringAddr{.index = queue,
                                         .desc = UserAddress(parts[0]),
                                         .used = UserAddress(parts[2]),
                                         .avail = UserAddress(parts[1])});
  if (options_.kicks) {
    Send(Request::kSetVringKick, VringFile{queue, true}, {kicks_[queue].get()});
  } else {
    Send(Request::kSetVringKick, VringFile{queue, false});
  }
}

std::array<RingBase, kQueues> TestGuest::BeginOfRings() const {
  const bool packed = options_.format == RingFormat::kPacked;
  const RingBase begin = packed ? kPackedBegin : kSplitBegin;
  return {begin, begin};
}

std::array<RingBase, kQueues> TestGuest::BasesInMemory() const {
  std::array<RingBase, kQueues> bases;
  const RingLayout& layout = driver_->layout();
  for (const auto& [queue, addrs] :
       {std::pair{kRxQueue, layout.rx}, std::pair{kTxQueue, layout.tx}}) {
    uint16_t used_idx;  // behind the flags
    std::memcpy(&used_idx,
                memory_->memory().TrySlice(PartsOf(addrs)[2], 4).data() + 2,
                sizeof(used_idx));
    bases[queue] = used_idx;
  }
  return bases;
}

uint64_t TestGuest::UserAddress(GuestAddr at) const {
  return reinterpret_cast<uintptr_t>(memory_->memory().TrySlice(at, 1).data());
}

// The kernel.

void TestGuest::Boot() {
  driver_.reset();
  transport_.reset();
  send_list_.reset();
  pool_.reset();
  arena_.reset();
  arena_.emplace(PayloadArena::In(*memory_, kPayloadBytes));
  pool_.emplace(PayloadMode::kReal, &*arena_);
  send_list_.emplace();
  router_ = Router();
  router_.SetDefault(*send_list_);
  transport_.emplace(
      Transport::Options{
          .cid = kGuestCid,
          .features = Features(Features::kStream |
                               (options_.datagrams ? Features::kDgram : 0))},
      *pool_, router_, tail_drop_);
  auto driver = Driver::Create(*memory_,
                               {.ring_format = options_.format,
                                .event_idx = options_.event_idx,
                                .indirect = options_.indirect,
                                .in_order = options_.in_order},
                               *transport_, *pool_, *send_list_);
  VSOCK_CHECK(driver.ok());
  driver_ = *std::move(driver);
  reclaim_ = send_ = receive_ = false;
}

bool TestGuest::Step() {
  const Instant now(0);  // the guest has no time-outs
  reclaim_ |= TakeEvent(calls_[kTxQueue]);
  receive_ |= TakeEvent(calls_[kRxQueue]);
  Note(driver_->Submit());
  const bool busy = reclaim_ || send_ || receive_;
  if (std::exchange(reclaim_, false)) Note(driver_->ReclaimStep());
  if (std::exchange(send_, false)) {
    const Effects effects = driver_->SendStep();
    send_ |= effects.more;
    Note(effects);
  }
  if (std::exchange(receive_, false)) {
    const Effects effects = driver_->RxStep(now);
    receive_ |= effects.more;
    Note(effects);
  }
  return busy;
}

void TestGuest::Note(const Effects& effects) {
  if (effects.kick_rx) Kick(kRxQueue);
  if (effects.kick_tx) Kick(kTxQueue);
  send_ |= effects.run_send_work;
  receive_ |= effects.run_rx_work;
}

void TestGuest::Kick(size_t queue) { SignalEvent(kicks_[queue].get()); }

bool TestGuest::WasToldOfError(size_t queue) {
  return TakeEvent(errors_[queue]);
}

}  // namespace vsock::vhost_user
