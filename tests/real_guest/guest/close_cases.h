// close_cases.h: one side ends the connection, or its half of it.

#ifndef TESTS_REAL_GUEST_GUEST_CLOSE_CASES_H_
#define TESTS_REAL_GUEST_GUEST_CLOSE_CASES_H_

namespace vsock::real_guest {

void GuestClosesItsHalf();
void HostClosesItsHalf();
void HostCloses();
void GuestClosesUnread();
void HostClosesUnread();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_CLOSE_CASES_H_
