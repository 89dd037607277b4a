// files.h: the programs and images that a boot needs, all by absolute path.

#ifndef TESTS_REAL_GUEST_FILES_H_
#define TESTS_REAL_GUEST_FILES_H_

#include <string>

namespace vsock::real_guest {

struct Files {
  std::string qemu;
  std::string kernel;
  std::string initramfs;
  std::string device;
  std::string missing;  // packages that are not on this machine, or nothing

  // Among the runfiles of the test, whose folder is the current one.
  static Files Find();
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_FILES_H_
