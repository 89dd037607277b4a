// world.h: a device at a socket in a directory of its own, and a guest, run in
// turn by one thread.

#ifndef TESTS_VHOST_USER_WORLD_H_
#define TESTS_VHOST_USER_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tests/vhost_user/test_guest.h"
#include "vsock/packet.h"
#include "vsock/units.h"
#include "vsock/vhost_user/counters.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/server.h"

namespace vsock::vhost_user {

class World {
 public:
  struct Options {
    TestGuest::Options guest;
    std::string services;  // as the flag
    bool forwards = false;
    bool offers_datagrams = false;
  };

  // The guest is not connected yet.
  explicit World(const Options& options);
  ~World();

  // The guest is connected and its rings are served.
  void Start();
  // The device ends; another begins.
  void RestartDevice();

  // Runs both until `done`. False, and a failure: it was not, for very long.
  bool RunUntil(absl::FunctionRef<bool()> done);
  // Until neither has anything to do.
  void Settle();
  // The answer to what the guest's front end sent last; empty without one.
  std::vector<std::byte> Answer();
  // Of GET_VRING_BASE for either ring.
  std::array<RingBase, kQueues> StopRings();

  // A stream of the guest to that port of the host, once its handshake is over.
  // Its outcome is in `status`, if it is given.
  SocketId Connect(uint32_t port, absl::Status* status = nullptr);
  // All of `bytes`, as credit comes.
  void Send(SocketId socket, const std::vector<std::byte>& bytes);
  // So many bytes, or all until the end of the stream.
  std::vector<std::byte> Read(SocketId socket, size_t bytes);
  std::vector<std::byte> ReadToEnd(SocketId socket);
  void ShutDown(SocketId socket, uint32_t hints);

  TestGuest& guest() { return guest_; }
  Server& device() { return *device_; }
  Counters Count() const { return device_->Count(); }
  const std::vector<std::string>& log() const { return log_; }
  std::string Path(const std::string& name) const;

 private:
  void StartDevice();

  const Options options_;
  std::string directory_;
  std::vector<std::string> log_;
  std::unique_ptr<Server> device_;
  TestGuest guest_;
};

// Bytes of which each says where it belongs, of a period that no power of two
// divides.
std::vector<std::byte> Pattern(size_t bytes);

}  // namespace vsock::vhost_user

#endif  // TESTS_VHOST_USER_WORLD_H_
