// service_cases.h: the services that are built into the device, beside echo,
// which all other cases use.

#ifndef TESTS_REAL_GUEST_GUEST_SERVICE_CASES_H_
#define TESTS_REAL_GUEST_GUEST_SERVICE_CASES_H_

namespace vsock::real_guest {

void Discard();
void Source();
void CloseOnAccept();
void SlowService();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_SERVICE_CASES_H_
