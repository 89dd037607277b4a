// Runs the cases that its arguments name, in that order; without arguments it
// says which there are.

#include <array>
#include <cstdio>
#include <string_view>

#include "tests/real_guest/guest/case.h"
#include "tests/real_guest/guest/close_cases.h"
#include "tests/real_guest/guest/connect_cases.h"
#include "tests/real_guest/guest/credit_cases.h"
#include "tests/real_guest/guest/packet_cases.h"
#include "tests/real_guest/guest/service_cases.h"
#include "tests/real_guest/guest/transfer_cases.h"

namespace vsock::real_guest {
namespace {

constexpr auto kCases = std::to_array<Case>({
    {"connect_refused", ConnectIsRefused},
    {"echo_1", [] { IsEchoed(1); }},
    {"echo_100", [] { IsEchoed(100); }},
    {"echo_4096", [] { IsEchoed(4096); }},
    {"echo_65536", [] { IsEchoed(65536); }},
    {"echo_100000", [] { IsEchoed(100000); }},
    {"to_host_16_mib", SixteenMebibytesToHost},
    {"to_guest_16_mib", SixteenMebibytesToGuest},
    {"both_ways_16_mib", SixteenMebibytesBothWays},
    {"small_packets", SmallPackets},
    {"hundred_at_once", HundredAtOnce},
    {"thousand_in_sequence", ThousandInSequence},
    {"guest_closes_its_half", GuestClosesItsHalf},
    {"host_closes_its_half", HostClosesItsHalf},
    {"host_closes", HostCloses},
    {"guest_closes_unread", GuestClosesUnread},
    {"host_closes_unread", HostClosesUnread},
    {"host_reads_late", HostReadsLate},
    {"guest_reads_late", GuestReadsLate},
    {"low_water", LowWater},
    {"buffer_size_changes", BufferSizeChanges},
    {"discard", Discard},
    {"source", Source},
    {"close_on_accept", CloseOnAccept},
    {"slow_service", SlowService},
    {"host_connects", HostConnects},
    {"host_is_refused", HostIsRefused},
    {"packets_of_echo", PacketsOfEcho},
    {"packets_of_refusal", PacketsOfRefusal},
    {"packets_of_guests_half_close", PacketsOfGuestsHalfClose},
    {"packets_of_hosts_half_close", PacketsOfHostsHalfClose},
    {"packets_of_slow_reader", PacketsOfSlowReader},
    {"packets_of_stalled_writer", PacketsOfStalledWriter},
    {"packets_of_raised_mark", PacketsOfRaisedMark},
    {"device_is_restarted", DeviceIsRestarted},
    {"guest_is_killed", GuestIsKilled},
});

void Run(std::string_view name) {
  for (const Case& item : kCases) {
    if (item.name == name) return RunCase(item);
  }
  std::printf("case %s FAILED no such case\n", name.data());
}

}  // namespace
}  // namespace vsock::real_guest

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) vsock::real_guest::Run(argv[i]);
  for (const vsock::real_guest::Case& item : vsock::real_guest::kCases) {
    if (argc == 1) std::printf("%s\n", item.name.data());
  }
  return 0;
}
