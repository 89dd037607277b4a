// machine.h: QEMU with a Linux guest whose vsock device is a vhost-user device.
//
// The processor is emulated (-accel tcg): a boot takes two seconds, and a
// /dev/kvm that opens is no promise that a guest gets anywhere on it.

#ifndef TESTS_REAL_GUEST_MACHINE_H_
#define TESTS_REAL_GUEST_MACHINE_H_

#include <string>

#include "tests/real_guest/child_process.h"

namespace vsock::real_guest {

class Machine {
 public:
  struct Options {
    std::string qemu;
    std::string kernel;
    std::string initramfs;
    std::string cases;              // for guest_cases, with commas
    std::string device_socket;      // the vhost-user device listens there
    std::string device_properties;  // of vhost-user-vsock-pci: "packed=on"
    std::string monitor_socket;     // to be made by QEMU
  };

  explicit Machine(const Options& options);

  // Its output is the console.
  ChildProcess& process() { return process_; }

  // Takes the vsock device out of the running guest, and waits until the guest
  // has let go of it; puts in one, without device_properties. False: QEMU would
  // not.
  bool Unplug();
  bool Plug();

 private:
  const Options options_;
  ChildProcess process_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_MACHINE_H_
