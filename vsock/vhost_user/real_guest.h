// real_guest.h: a guest that is no model: its memory, the files of its rings,
// and the life of its driver.
//
// Does what a Backend asks (BackendActions), runs the device a few packets at a
// time, and passes notifications on.
// Trust: none in the guest. A ring that breaks a rule is reported once, by its
// clause, counted, and told to the front end by the ring's error descriptor; it
// stays broken until the driver sets it up anew. A connection of whose rules it
// broke one (watch.h) is reset. Everything else goes on.

#ifndef VSOCK_VHOST_USER_REAL_GUEST_H_
#define VSOCK_VHOST_USER_REAL_GUEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vsock/effects.h"
#include "vsock/units.h"
#include "vsock/vhost_user/backend.h"
#include "vsock/vhost_user/counters.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/host_program.h"
#include "vsock/vhost_user/life.h"
#include "vsock/vhost_user/memory_map.h"
#include "vsock/vhost_user/message.h"
#include "vsock/vhost_user/poller.h"
#include "vsock/vhost_user/watch.h"

namespace vsock::vhost_user {

class RealGuest final : public BackendActions {
 public:
  using Log = std::function<void(absl::string_view line)>;

  struct Options {
    Life::Options life;
    std::vector<HostProgram*> programs;
    Log log;
  };

  // `poller` and the programs outlive this.
  RealGuest(const Options& options, Poller& poller);
  RealGuest(const RealGuest&) = delete;
  RealGuest& operator=(const RealGuest&) = delete;
  ~RealGuest() override;

  absl::Status SetMemory(const MemoryTable& table,
                         std::vector<FileDescriptor> files) override;
  absl::Status SetFile(File which, size_t queue, FileDescriptor file) override;
  bool Start(const DeviceSetup& setup) override;
  std::array<RingBase, kQueues> Stop() override;

  // The front end is gone, and with it the guest. The device is stopped.
  void Disconnect();

  // One round: who waits for sockets, then the device.
  void Step();

  // How long until there is something to do if nothing comes; for ever, maybe.
  std::optional<Nanos> Patience() const;

  // Everything so far.
  Counters Count() const;

 private:
  struct RingFiles {
    FileDescriptor kick;
    FileDescriptor call;
    FileDescriptor error;
    bool broken = false;  // and reported
  };

  FileDescriptor& FileOf(File which, size_t queue);
  void OnKick(size_t queue);
  bool TellDevice(size_t queue);
  void BeginLife(const DeviceSetup& setup);
  void EndLife();
  absl::Status Attach(const DeviceSetup& setup);
  void RunDevice(Device& device);
  void Notify(const Effects& effects);
  void ReportBrokenRings();
  void ReportUnwrittenUsedEvent();
  void ReportFault(const absl::Status& fault);
  void Look();
  void LogOnce(const std::string& line);
  bool IsPolled() const;

  const Options options_;
  Poller& poller_;
  std::optional<MemoryMap> memory_;
  std::array<RingFiles, kQueues> files_;
  uint64_t features_ = 0;  // of the life
  std::unique_ptr<Life> life_;
  std::optional<Watch> watch_;  // of the device
  absl::btree_set<std::string> logged_;
  bool busy_ = false;     // the device has something to do
  bool stirred_ = false;  // something may have come true for a program
  Counters ended_;        // of lives and devices that are over
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_REAL_GUEST_H_
