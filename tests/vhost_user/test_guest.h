// test_guest.h: a guest in this process, with the driver of vsock/driver.h, and
// the front end of its virtual machine, which speaks to a device as QEMU does.
//
// Memory is a memfd in two regions, notifications are eventfds, and messages go
// through the device's socket. Nothing here waits: a test runs the guest and
// the device in turn (world.h).

#ifndef TESTS_VHOST_USER_TEST_GUEST_H_
#define TESTS_VHOST_USER_TEST_GUEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_format.h"
#include "vsock/driver.h"
#include "vsock/packet.h"
#include "vsock/policy/tail_drop.h"
#include "vsock/router.h"
#include "vsock/transport.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {

class TestGuest {
 public:
  struct Options {
    virtqueue::RingFormat format = virtqueue::RingFormat::kSplit;
    bool event_idx = true;
    bool indirect = true;
    bool in_order = false;
    bool datagrams = false;
    bool kicks = true;  // else the device has to poll
  };

  explicit TestGuest(const Options& options);
  TestGuest(const TestGuest&) = delete;
  TestGuest& operator=(const TestGuest&) = delete;
  ~TestGuest();

  // The front end.

  // To the device's socket; what was connected before is closed.
  void Connect(const std::string& socket);
  void Disconnect() { connection_ = FileDescriptor(); }
  void Write(absl::Span<const std::byte> bytes,
             absl::Span<const int> files = {});
  void Send(Request request, const Body& body = {},
            absl::Span<const int> files = {}, uint32_t flags = 0);
  // The next answer's payload; nothing if it has not come (yet).
  std::optional<std::vector<std::byte>> Answer();
  bool HungUp();
  int memory_file() const { return file_.get(); }

  // Everything up to the enabled rings, in QEMU's order; the rings begin, or go
  // on, where `bases` say.
  void SendSetUp() { SendSetUp(BeginOfRings()); }
  void SendSetUp(std::array<RingBase, kQueues> bases);
  void SendRings(std::array<RingBase, kQueues> bases);
  void SendMemory();
  std::array<RingBase, kQueues> BeginOfRings() const;
  // Where the device's used entries end, as a front end finds out that lost the
  // device (split rings only).
  std::array<RingBase, kQueues> BasesInMemory() const;

  // The kernel.

  // A driver that starts anew, on rings of its own.
  void Boot();
  // What its workers have to do, once. False: nothing.
  bool Step();
  Transport& sockets() { return *transport_; }
  const Driver& driver() const { return *driver_; }
  // Writes a descriptor of a ring, lawful or not.
  absl::Span<std::byte> Memory(virtqueue::GuestAddr at, uint32_t bytes);
  void Kick(size_t queue);
  bool WasToldOfError(size_t queue);

 private:
  static constexpr uint64_t kMemoryBytes = 64 << 20;
  static constexpr uint64_t kBase = 0x10000;
  static constexpr uint64_t kBorder = 1 << 20;  // from kBase

  void Note(const Effects& effects);
  void SendRing(uint32_t queue, RingBase base);
  uint64_t UserAddress(virtqueue::GuestAddr at) const;

  const Options options_;
  FileDescriptor file_;
  std::optional<virtqueue::OwnedGuestMemory> memory_;
  std::array<FileDescriptor, kQueues> kicks_;
  std::array<FileDescriptor, kQueues> calls_;
  std::array<FileDescriptor, kQueues> errors_;
  FileDescriptor connection_;

  std::optional<PayloadArena> arena_;
  std::optional<PacketPool> pool_;
  std::optional<PacketQueue> send_list_;
  Router router_;
  TailDrop tail_drop_;
  std::optional<Transport> transport_;
  std::unique_ptr<Driver> driver_;
  bool reclaim_ = false;
  bool send_ = false;
  bool receive_ = false;
};

}  // namespace vsock::vhost_user

#endif  // TESTS_VHOST_USER_TEST_GUEST_H_
