// backend.h: what the messages of a front end add up to.
//
// Source: the vhost-user protocol (QEMU, docs/interop/vhost-user.rst), with the
// protocol features MQ, REPLY_ACK, CONFIG and RESET_DEVICE. No system calls: a
// message comes in with its descriptors, an answer goes out, and what is to
// happen is asked of BackendActions.
//
//   A ring runs once it has a size, addresses, a kick descriptor, is enabled,
//   and memory is known; the device runs while both rings do.
//
// The protocol starts a ring at its first kick. This back end starts it when it
// gets the descriptor, as others do: a host that speaks first must not wait for
// the guest's first packet. What the guest made available before is then
// noticed without a kick.
//
// Trust: none in the order or the numbers of messages. An error means that this
// front end is not to be spoken to any more. Addresses of rings come from the
// guest, and so do faults in them: the ring is refused, the front end stays.
// Left out: dirty page logging, in-flight tracking, in-band notifications,
// memory slots: none of their feature bits is offered. Rings of two sizes.

#ifndef VSOCK_VHOST_USER_BACKEND_H_
#define VSOCK_VHOST_USER_BACKEND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "virtqueue/guest_memory.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {

class BackendActions {
 public:
  enum class File { kKick, kCall, kError };

  virtual ~BackendActions() = default;

  // The guest's memory is from now on this, and nothing else; one file for each
  // region. The device does not run. Errors end the front end's connection.
  virtual absl::Status SetMemory(const MemoryTable& table,
                                 std::vector<FileDescriptor> files) = 0;
  // A ring's descriptor is from now on this one, which may be none.
  virtual absl::Status SetFile(File which, size_t queue,
                               FileDescriptor file) = 0;
  // The device runs. False if the rings can't be what the guest says.
  virtual bool Start(const DeviceSetup& setup) = 0;
  // It does not, from the return on; no chain of either ring is in its hands.
  // Where the rings are now.
  virtual std::array<RingBase, kQueues> Stop() = 0;
};

class Backend {
 public:
  // VHOST_USER_F_PROTOCOL_FEATURES, among the feature bits.
  static constexpr uint64_t kProtocolFeatures = uint64_t{1} << 30;
  // VHOST_USER_PROTOCOL_F_*.
  static constexpr uint64_t kMq = 1u << 0;
  static constexpr uint64_t kReplyAck = 1u << 3;
  static constexpr uint64_t kConfig = 1u << 9;
  static constexpr uint64_t kResetDevice = 1u << 13;
  static constexpr uint64_t kOffered = kMq | kReplyAck | kConfig | kResetDevice;

  struct Options {
    Cid guest_cid;
    uint64_t features = 0;  // that the device offers to a driver
  };

  // `actions` outlives this.
  Backend(const Options& options, BackendActions& actions)
      : options_(options), actions_(actions) {}

  // Does what the message asks; `files` came with it. Returns the answer, or
  // nothing if there is none.
  absl::StatusOr<std::vector<std::byte>> Handle(
      const Message& message, std::vector<FileDescriptor> files);

  // The front end is gone: the device stops.
  void Close() { StopDevice(); }

  bool running() const { return running_; }

 private:
  struct Ring {
    uint16_t size = 0;
    bool has_addr = false;
    VringAddr addr = {};
    std::optional<RingBase> base;  // none: where a ring begins
    bool base_given = false;       // by the front end, and not used since
    bool started = false;
    bool enabled = false;
  };

  // What became of a request: its answer, if it has one of its own.
  using Answer = std::vector<std::byte>;

  absl::StatusOr<Answer> Do(const Message& message,
                            std::vector<FileDescriptor>& files);
  absl::Status Set(const Message& message, std::vector<FileDescriptor>& files);
  absl::Status SetFeatures(uint64_t features);
  absl::Status SetProtocolFeatures(uint64_t features);
  absl::Status SetMemTable(const MemoryTable& table,
                           std::vector<FileDescriptor>& files);
  absl::Status SetVringNum(const VringState& state);
  absl::Status SetVringAddr(const VringAddr& addr);
  absl::Status SetVringBase(const VringState& state);
  absl::StatusOr<Answer> GetVringBase(const VringState& state);
  absl::Status SetVringFile(Request request, const VringFile& file,
                            std::vector<FileDescriptor>& files);
  absl::Status SetVringEnable(const VringState& state);
  Answer GetConfig(const ConfigSpace& asked) const;
  void ResetDevice();

  absl::StatusOr<Ring*> RingOf(Request request, uint32_t index);
  absl::Status CheckStopped(Request request) const;

  absl::Status Settle();
  absl::Status StartDevice();
  void StopDevice();
  bool IsPacked() const { return (features_ & kRingPacked) != 0; }
  RingBase Begin() const { return IsPacked() ? kPackedBegin : kSplitBegin; }
  RingBase BaseOf(const Ring& ring) const;
  absl::StatusOr<virtqueue::RingAddrs> Translate(const VringAddr& addr) const;
  absl::StatusOr<virtqueue::GuestAddr> Translate(uint64_t user_address) const;

  const Options options_;
  BackendActions& actions_;
  uint64_t features_ = 0;
  uint64_t protocol_features_ = 0;
  MemoryTable memory_;
  std::array<Ring, kQueues> rings_;
  bool running_ = false;
};

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_BACKEND_H_
