#include "tests/real_guest/machine.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/real_guest/monitor.h"

namespace vsock::real_guest {
namespace {

std::string Device(const Machine::Options& options) {
  std::string device = "vhost-user-vsock-pci,id=vsock,bus=bridge,chardev=vsock";
  if (!options.device_properties.empty()) {
    absl::StrAppend(&device, ",", options.device_properties);
  }
  return device;
}

std::vector<std::string> CommandLine(const Machine::Options& options) {
  return {options.qemu, "-nodefaults", "-no-user-config", "-no-reboot",
          "-display", "none", "-accel", "tcg",
          // The device reads and writes the guest's memory.
          "-object", "memory-backend-memfd,id=memory,size=256M,share=on",
          "-machine", "q35,memory-backend=memory", "-m", "256M", "-chardev",
          absl::StrCat("socket,id=vsock,path=", options.device_socket),
          "-device", "pcie-root-port,id=bridge", "-device", Device(options),
          "-qmp",
          absl::StrCat("unix:", options.monitor_socket, ",server=on,wait=off"),
          "-serial", "stdio", "-kernel", options.kernel, "-initrd",
          options.initramfs, "-append",
          // A busy host is late with timer interrupts, which early in a boot
          // is taken for a broken machine.
          absl::StrCat("console=ttyS0 quiet panic=-1 no_timer_check cases=",
                       options.cases)};
}

}  // namespace

Machine::Machine(const Options& options)
    : options_(options), process_(CommandLine(options)) {}

bool Machine::Unplug() {
  Monitor monitor(options_.monitor_socket);
  return monitor.Do("device_del", R"("id":"vsock")") &&
         monitor.Await("DEVICE_DELETED") &&
         monitor.Do("chardev-remove", R"("id":"vsock")");
}

bool Machine::Plug() {
  Monitor monitor(options_.monitor_socket);
  const std::string address =
      absl::StrCat(R"("addr":{"type":"unix","data":{"path":")",
                   options_.device_socket, R"("}})");
  return monitor.Do(
             "chardev-add",
             absl::StrCat(R"("id":"vsock","backend":{"type":"socket",)",
                          R"("data":{"server":false,)", address, "}}")) &&
         monitor.Do("device_add",
                    R"("driver":"vhost-user-vsock-pci","id":"vsock",)"
                    R"("bus":"bridge","chardev":"vsock")");
}

}  // namespace vsock::real_guest
