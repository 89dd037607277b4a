// session.h: one guest, from power-on to its end, with the programs on the host
// that its cases need, and what became of each case.

#ifndef TESTS_REAL_GUEST_SESSION_H_
#define TESTS_REAL_GUEST_SESSION_H_

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "tests/real_guest/device_process.h"
#include "tests/real_guest/files.h"
#include "tests/real_guest/host_programs.h"
#include "tests/real_guest/machine.h"

namespace vsock::real_guest {

class Session {
 public:
  // Boots a guest that runs `cases` on `device`, which outlives it, with these
  // properties of vhost-user-vsock-pci.
  Session(const Files& files, DeviceProcess& device,
          const std::string& device_properties,
          const std::vector<std::string>& cases);

  // Until the guest has ended.
  void Run();

  // Of a case: "ok", "FAILED why", or "nothing" if it was not heard of.
  std::string Verdict(absl::string_view name) const;
  // That the guest has printed of those it sent.
  std::vector<std::string> Packets(absl::string_view name) const;
  // The feature bits of the guest's driver, the lowest first, as '0' and '1'.
  const std::string& features() const { return features_; }
  // What went wrong on the host; what the guest's console said.
  const std::vector<std::string>& complaints() const { return complaints_; }
  const std::string& console() const { return console_; }

 private:
  void OnLine(const std::string& line);
  void OnReady(absl::string_view name);
  void ConnectToGuest();
  void ConnectToNobody();
  void RestartDevice();
  void Complain(const std::string& what) { complaints_.push_back(what); }

  DeviceProcess& device_;
  HostPrograms programs_;
  Machine machine_;
  absl::btree_map<std::string, std::string> verdicts_;
  absl::btree_map<std::string, std::vector<std::string>> packets_;
  std::vector<std::string> complaints_;
  std::string features_;
  std::string console_;
};

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_SESSION_H_
