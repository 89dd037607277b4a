// check.h: stop on our own bugs, in every build mode.
//
// VSOCK_CHECK is for conditions that only a defect of this project can break.
// What a peer or a caller can cause is an absl::Status instead, and a loss that
// the model is about is a counted DropReason: see docs/model.md, "Errors".

#ifndef VIRTQUEUE_CHECK_H_
#define VIRTQUEUE_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace virtqueue {

[[noreturn]] [[gnu::cold]] inline void CheckFailed(const char* file, int line,
                                                   const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace virtqueue

#define VSOCK_CHECK(condition)                                  \
  do {                                                          \
    if (!(condition)) [[unlikely]] {                            \
      ::virtqueue::CheckFailed(__FILE__, __LINE__, #condition); \
    }                                                           \
  } while (false)

#endif  // VIRTQUEUE_CHECK_H_
