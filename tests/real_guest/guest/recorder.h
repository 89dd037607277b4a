// recorder.h: the packets that the guest's kernel sends, as a vsockmon
// interface shows them (Linux drivers/net/vsockmon.c).

#ifndef TESTS_REAL_GUEST_GUEST_RECORDER_H_
#define TESTS_REAL_GUEST_GUEST_RECORDER_H_

namespace vsock::real_guest {

class Recorder {
 public:
  Recorder();  // from now on
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  // Waits until no more come, and prints a line for each that the guest sent:
  // `packet CASE op 1 len 0 flags 0 buf_alloc 262144 fwd_cnt 0`.
  void Print();

 private:
  int fd_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_RECORDER_H_
