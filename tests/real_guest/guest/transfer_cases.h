// transfer_cases.h: bytes that arrive as they were sent.

#ifndef TESTS_REAL_GUEST_GUEST_TRANSFER_CASES_H_
#define TESTS_REAL_GUEST_GUEST_TRANSFER_CASES_H_

#include <cstddef>

namespace vsock::real_guest {

void IsEchoed(size_t bytes);

void SixteenMebibytesToHost();
void SixteenMebibytesToGuest();
void SixteenMebibytesBothWays();
void SmallPackets();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_TRANSFER_CASES_H_
