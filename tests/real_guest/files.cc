#include "tests/real_guest/files.h"

#include <filesystem>
#include <fstream>

namespace vsock::real_guest {

Files Files::Find() {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path system = here.parent_path() / "guest_system";
  Files files = {.qemu = system / "qemu",
                 .kernel = system / "vmlinuz",
                 .initramfs = here / "tests/real_guest/initramfs.cpio",
                 .device = here / "vsock/vhost_user/device"};
  std::getline(std::ifstream(system / "missing"), files.missing);
  return files;
}

}  // namespace vsock::real_guest
