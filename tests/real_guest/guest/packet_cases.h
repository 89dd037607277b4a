// packet_cases.h: a few calls of an application, and the packets that the guest
// sends for them. The model makes the same calls (model_packets.h).

#ifndef TESTS_REAL_GUEST_GUEST_PACKET_CASES_H_
#define TESTS_REAL_GUEST_GUEST_PACKET_CASES_H_

namespace vsock::real_guest {

void PacketsOfEcho();
void PacketsOfRefusal();
void PacketsOfGuestsHalfClose();
void PacketsOfHostsHalfClose();
void PacketsOfSlowReader();
void PacketsOfStalledWriter();
void PacketsOfRaisedMark();

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_PACKET_CASES_H_
