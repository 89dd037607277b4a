// connect_cases.h: connections refused, many at once, many in sequence, and
// from the host.

#ifndef TESTS_REAL_GUEST_GUEST_CONNECT_CASES_H_
#define TESTS_REAL_GUEST_GUEST_CONNECT_CASES_H_

namespace vsock::real_guest {

void ConnectIsRefused();
void HundredAtOnce();
void ThousandInSequence();
void HostConnects();
void HostIsRefused();
void DeviceIsRestarted();
void GuestIsKilled();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_CONNECT_CASES_H_
