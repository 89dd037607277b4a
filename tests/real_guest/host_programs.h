// host_programs.h: the applications on the host that the cases in the guest
// talk to, behind the AF_UNIX sockets of the device's forwarding (ports.h).
//
// Each port has a thread that serves one connection after the other.

#ifndef TESTS_REAL_GUEST_HOST_PROGRAMS_H_
#define TESTS_REAL_GUEST_HOST_PROGRAMS_H_

#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tests/real_guest/unix_stream.h"

namespace vsock::real_guest {

class HostPrograms {
 public:
  // Listen on PREFIX_PORT for each of their ports.
  explicit HostPrograms(const std::string& prefix);
  HostPrograms(const HostPrograms&) = delete;
  HostPrograms& operator=(const HostPrograms&) = delete;
  ~HostPrograms() { Finish(); }

  // The program of kLateHashPort may read now.
  void LetReadLate() { late_.release(); }

  // Waits until each has served whom it serves, and returns what they did not
  // find as it should be.
  std::vector<std::string> Finish();

 private:
  using Program = void (HostPrograms::*)(UnixStream& stream);

  void Listen(const std::string& path, Program program);
  void Serve(int listener, Program program);

  void SendHash(UnixStream& stream);
  void SendHashLate(UnixStream& stream);
  void SendPattern(UnixStream& stream);
  void EndHalf(UnixStream& stream);
  void SayGoodbye(UnixStream& stream);
  void BeIgnored(UnixStream& stream);
  void Ignore(UnixStream& stream);
  void Complain(const std::string& what);

  std::counting_semaphore<> late_{0};
  std::mutex mutex_;
  std::vector<std::string> complaints_;  // guarded by mutex_
  std::vector<int> listeners_;
  std::vector<std::thread> threads_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_HOST_PROGRAMS_H_
