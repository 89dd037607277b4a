#include "vsock/vhost_user/real_guest.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "vsock/device.h"
#include "vsock/features.h"
#include "vsock/vhost_user/event_file.h"

namespace vsock::vhost_user {
namespace {

// Packets between two looks at the files.
constexpr int kStepsPerRound = 64;
// Different lines that a guest may bring about.
constexpr size_t kMostLogged = 100;
// How long a ring without a kick descriptor is not looked at.
constexpr Nanos kPollInterval{1'000'000};

}  // namespace

RealGuest::RealGuest(const Options& options, Poller& poller)
    : options_(options), poller_(poller) {}

RealGuest::~RealGuest() { Disconnect(); }

absl::Status RealGuest::SetMemory(const MemoryTable& table,
                                  std::vector<FileDescriptor> files) {
  memory_.reset();  // there may not be room for both
  absl::StatusOr<MemoryMap> memory = MemoryMap::Create(table, files);
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  return absl::OkStatus();
}

FileDescriptor& RealGuest::FileOf(File which, size_t queue) {
  RingFiles& files = files_[queue];
  switch (which) {
    case File::kKick:
      return files.kick;
    case File::kCall:
      return files.call;
    case File::kError:
      return files.error;
  }
  return files.error;
}

absl::Status RealGuest::SetFile(File which, size_t queue, FileDescriptor file) {
  FileDescriptor& place = FileOf(which, queue);
  if (which == File::kKick && place.is_open()) poller_.Remove(place.get());
  place = FileDescriptor();
  if (!file.is_open()) return absl::OkStatus();
  if (absl::Status s = MakeNonblocking(file.get()); !s.ok()) return s;
  if (which == File::kKick) {
    absl::Status added = poller_.Add(
        file.get(), EPOLLIN, [this, queue](uint32_t) { OnKick(queue); });
    if (!added.ok()) return added;
  }
  place = std::move(file);
  return absl::OkStatus();
}

void RealGuest::OnKick(size_t queue) {
  if (!TakeEvents(files_[queue].kick.get())) {
    poller_.Remove(files_[queue].kick.get());
    return;
  }
  ++ended_.kicks[queue];
  if (life_ != nullptr && life_->device() != nullptr) {
    busy_ |= TellDevice(queue);
  }
}

bool RealGuest::TellDevice(size_t queue) {
  Device& device = *life_->device();
  return queue == kTxQueue ? device.OnTxKick() : device.OnRxKick();
}

bool RealGuest::Start(const DeviceSetup& setup) {
  ++ended_.ring_starts;
  for (RingFiles& files : files_) files.broken = false;
  if (!setup.resumes || setup.features != features_) EndLife();
  absl::Status attached = Attach(setup);
  if (!attached.ok()) {
    EndLife();
    ReportFault(attached);
    return false;
  }
  watch_.emplace(life_->transport(), *life_->device());
  // What came before the rings ran was told to nobody.
  for (size_t queue = 0; queue < kQueues; ++queue) busy_ |= TellDevice(queue);
  return true;
}

absl::Status RealGuest::Attach(const DeviceSetup& setup) {
  if ((setup.features & kVersion1) == 0) {
    return absl::InvalidArgumentError(
        "6.1: the driver did not accept VIRTIO_F_VERSION_1");
  }
  if (setup.rings[kRxQueue].size != setup.rings[kTxQueue].size) {
    return absl::InvalidArgumentError("rings of two sizes are not served");
  }
  if (life_ == nullptr) BeginLife(setup);
  if (life_ == nullptr) return absl::ResourceExhaustedError("no memory");
  return life_->Attach(memory_->memory(), setup);
}

void RealGuest::BeginLife(const DeviceSetup& setup) {
  absl::StatusOr<std::unique_ptr<Life>> life =
      Life::Create(options_.life, Features(setup.features));
  if (!life.ok()) return;
  ++ended_.drivers;
  life_ = *std::move(life);
  features_ = setup.features;
  for (HostProgram* program : options_.programs) {
    program->Begin(life_->sockets(), poller_.now());
  }
}

void RealGuest::EndLife() {
  if (life_ == nullptr) return;
  for (HostProgram* program : options_.programs) program->End();
  ended_.Add(life_->transport());
  life_.reset();
}

std::array<RingBase, kQueues> RealGuest::Stop() {
  Device& device = *life_->device();
  Notify(device.Finish(poller_.now()));
  ended_.Add(device);
  watch_.reset();
  busy_ = false;
  return life_->Detach();
}

void RealGuest::Disconnect() {
  EndLife();
  for (size_t queue = 0; queue < kQueues; ++queue) {
    if (files_[queue].kick.is_open()) poller_.Remove(files_[queue].kick.get());
    files_[queue] = RingFiles();
  }
  memory_.reset();
}

void RealGuest::Step() {
  if (life_ == nullptr) return;
  life_->sockets().Run(poller_.now());
  for (HostProgram* program : options_.programs) program->Run(poller_.now());
  stirred_ = life_->sockets().busy();
  if (life_->device() != nullptr) RunDevice(*life_->device());
}

void RealGuest::RunDevice(Device& device) {
  busy_ |= device.Submit();
  if (IsPolled()) {
    for (size_t queue = 0; queue < kQueues; ++queue) busy_ |= TellDevice(queue);
  }
  const uint64_t before = device.tx_completed() + device.rx_completed();
  const Instant now = poller_.now();
  Effects effects;
  for (int i = 0; busy_ && i < kStepsPerRound; ++i) {
    const Effects step = device.Step(now);
    busy_ = step.more;
    effects += step;
    Look();
  }
  stirred_ |= device.tx_completed() + device.rx_completed() != before;
  Notify(effects);
  ReportBrokenRings();
  ReportUnwrittenUsedEvent();
}

bool RealGuest::IsPolled() const {
  return life_ != nullptr && life_->device() != nullptr &&
         std::any_of(files_.begin(), files_.end(), [](const RingFiles& files) {
           return !files.kick.is_open();
         });
}

std::optional<Nanos> RealGuest::Patience() const {
  if (life_ == nullptr) return std::nullopt;
  if (busy_ || stirred_) return Nanos(0);
  std::optional<Nanos> limit;
  if (const std::optional<Instant> next = life_->sockets().NextDeadline()) {
    limit = *next - poller_.now();
  }
  if (IsPolled())
    limit = std::min(limit.value_or(kPollInterval), kPollInterval);
  return limit;
}

void RealGuest::Notify(const Effects& effects) {
  ended_.calls_suppressed += effects.work.interrupts_suppressed;
  for (const auto& [due, queue] : {std::pair{effects.interrupt_rx, kRxQueue},
                                   std::pair{effects.interrupt_tx, kTxQueue}}) {
    if (!due || !files_[queue].call.is_open()) continue;
    ++ended_.calls[queue];
    SignalEvent(files_[queue].call.get());
  }
}

void RealGuest::ReportBrokenRings() {
  const Device& device = *life_->device();
  for (size_t queue = 0; queue < kQueues; ++queue) {
    RingFiles& files = files_[queue];
    const absl::Status& status =
        queue == kTxQueue ? device.tx_status() : device.rx_status();
    if (status.ok() || std::exchange(files.broken, true)) continue;
    ReportFault(status);
    if (files.error.is_open()) SignalEvent(files.error.get());
  }
}

void RealGuest::ReportUnwrittenUsedEvent() {
  const std::optional<size_t> queue = life_->FindUnwrittenUsedEvent();
  if (!queue) return;
  options_.log(absl::StrCat(
      *queue == kTxQueue ? "tx" : "rx",
      " ring: the driver negotiated VIRTIO_F_EVENT_IDX and never wrote "
      "used_event: it is notified of one chain in 65536 (2.7.7.2)"));
}

void RealGuest::ReportFault(const absl::Status& fault) {
  ++ended_.ring_faults;
  LogOnce(absl::StrCat("the guest broke a ring: ", fault.message()));
}

void RealGuest::Look() {
  const std::optional<Watch::Finding> finding = watch_->AfterStep();
  if (!finding.has_value()) return;
  ++(finding->is_guests ? ended_.connection_faults : ended_.property_breaches);
  LogOnce(absl::StrCat(finding->is_guests ? "the guest broke a connection: "
                                          : "the device is wrong: ",
                       finding->status.message()));
  life_->transport().Reset(finding->socket);
}

// A guest may repeat itself as often as it likes.
void RealGuest::LogOnce(const std::string& line) {
  if (logged_.size() < kMostLogged && logged_.insert(line).second) {
    options_.log(line);
  }
}

Counters RealGuest::Count() const {
  Counters counters = ended_;
  if (life_ == nullptr) return counters;
  counters.Add(life_->transport());
  if (life_->device() != nullptr) counters.Add(*life_->device());
  return counters;
}

}  // namespace vsock::vhost_user
