// credit_cases.h: readers that are slow, wait for more, or change their minds
// about how much they take.

#ifndef TESTS_REAL_GUEST_GUEST_CREDIT_CASES_H_
#define TESTS_REAL_GUEST_GUEST_CREDIT_CASES_H_

namespace vsock::real_guest {

void HostReadsLate();
void GuestReadsLate();
void LowWater();
void BufferSizeChanges();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_CREDIT_CASES_H_
