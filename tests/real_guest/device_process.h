// device_process.h: //vsock/vhost_user:device as a process of its own.

#ifndef TESTS_REAL_GUEST_DEVICE_PROCESS_H_
#define TESTS_REAL_GUEST_DEVICE_PROCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "tests/real_guest/child_process.h"

namespace vsock::real_guest {

class DeviceProcess {
 public:
  // Listens on NAME.device for QEMU, on NAME for programs of the host, and
  // connects to NAME_PORT.
  DeviceProcess(const std::string& program, const std::string& name);

  const std::string& name() const { return name_; }
  std::string socket() const;
  bool IsRunning() { return process_->IsRunning(); }

  // Kills it and starts another.
  void Restart();
  // Ends it in an orderly way, and returns what it counted by name.
  absl::btree_map<std::string, uint64_t> Stop();

 private:
  void Start();

  const std::string program_;
  const std::string name_;
  std::optional<ChildProcess> process_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_DEVICE_PROCESS_H_
