#include "sim/captured_workloads.h"

#include <cstdint>

#include "vsock/hdr.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;
using vsock::Port;

using Kind = CapturedStep::Kind;
using Order = CapturedWorkload::Order;
using Steps = std::vector<CapturedStep>;

constexpr Port kEchoPort{5000};
constexpr Port kNobodysPort{7777};
constexpr Nanos kSlowRead{890'000};

Instant AtUs(int64_t us) { return Instant(us * 1000); }

CapturedStep SleepUntilUs(int64_t us) {
  return {.kind = Kind::kSleepUntil, .at = AtUs(us)};
}

// Twenty rounds of 100, 137, ... 803 bytes. Both ends close at 34.0 ms: the
// server's SHUTDOWN is on its way while the client reads the last reply and
// closes, so that each answers the other's SHUTDOWN with an RST.
CapturedWorkload Echo() {
  constexpr int kRounds = 20;
  Steps client = {{.kind = Kind::kConnect}};
  Steps server = {{.kind = Kind::kAccept}};
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint32_t bytes = 100 + 37 * round;
    client.push_back({.kind = Kind::kWrite, .bytes = bytes});
    if (round + 1 == kRounds) client.push_back(SleepUntilUs(34049));
    client.push_back({.kind = Kind::kRead, .bytes = bytes});
    server.push_back({.kind = Kind::kRead, .bytes = bytes});
    server.push_back({.kind = Kind::kWrite, .bytes = bytes});
  }
  server.push_back(SleepUntilUs(34049));
  client.push_back({.kind = Kind::kClose});
  server.push_back({.kind = Kind::kClose});
  return {.name = "echo",
          .order = Order::kFixed,
          .port = kEchoPort,
          .client = client,
          .server = server};
}

// A stream, then a seqpacket socket 19.1 ms later, which the model can only
// imitate: the REQUEST is put on the list, the answer is the model's.
CapturedWorkload Refused() {
  return {.name = "refused",
          .order = Order::kFixed,
          .port = kNobodysPort,
          .client = {{.kind = Kind::kConnect}, {.kind = Kind::kClose}},
          .seqpacket_request_at = AtUs(19119)};
}

// 1000 bytes, half a close, an answer of 500 after it, the other half, and both
// programs' close.
CapturedWorkload ShutDown() {
  return {
      .name = "shutdown",
      .order = Order::kFixed,
      .port = kEchoPort,
      .client = {{.kind = Kind::kConnect},
                 {.kind = Kind::kWrite, .bytes = 1000},
                 SleepUntilUs(1753),
                 {.kind = Kind::kShutDown, .bytes = vsock::kShutdownSend},
                 SleepUntilUs(57673),
                 {.kind = Kind::kReadSome, .bytes = 4096},
                 {.kind = Kind::kShutDown, .bytes = vsock::kShutdownReceive},
                 SleepUntilUs(58453),
                 {.kind = Kind::kClose}},
      .server = {{.kind = Kind::kAccept},
                 {.kind = Kind::kReadAll, .bytes = 4096},
                 SleepUntilUs(23254),
                 {.kind = Kind::kWrite, .bytes = 500},
                 SleepUntilUs(127708),
                 {.kind = Kind::kClose}}};
}

// 1 MiB in writes of 4 KiB; the reader sleeps 0.3 s, then reads 3000 at a time.
// The writer closes after its last write. 15 reads lie between the last two
// updates, 13.36 ms apart: 0.89 ms each.
CapturedWorkload SlowReader() {
  Steps client = {{.kind = Kind::kConnect}};
  client.insert(client.end(), 256, {.kind = Kind::kWrite, .bytes = 4096});
  client.push_back({.kind = Kind::kClose});
  return {
      .name = "slowreader",
      .order = Order::kScheduled,
      .port = kEchoPort,
      .client = client,
      .server = {{.kind = Kind::kAccept},
                 SleepUntilUs(300000),
                 {.kind = Kind::kReadAll, .bytes = 3000, .pause = kSlowRead},
                 {.kind = Kind::kClose}}};
}

// 4 MiB in writes of 64 KiB, then the sending half is shut. The size of the
// reads cannot be seen; 64 KiB is taken. A read took less than a write there:
// at the recorded pace the reader keeps up, at full speed it would not.
CapturedWorkload Bulk() {
  Steps client = {{.kind = Kind::kConnect}};
  client.insert(client.end(), 64, {.kind = Kind::kWrite, .bytes = 65536});
  client.push_back({.kind = Kind::kShutDown, .bytes = vsock::kShutdownSend});
  client.push_back({.kind = Kind::kReadAll, .bytes = 65536});
  client.push_back({.kind = Kind::kClose});
  return {.name = "bulk",
          .order = Order::kScheduled,
          .port = kEchoPort,
          .client = client,
          .server = {{.kind = Kind::kAccept},
                     {.kind = Kind::kReadAll, .bytes = 65536},
                     {.kind = Kind::kClose}},
          .at_recorded_pace = true};
}

CapturedWorkload Seqpacket() {
  return {.name = "seqpacket", .order = Order::kUnknown};
}

}  // namespace

std::vector<CapturedWorkload> CapturedWorkloads() {
  return {Echo(), Refused(), ShutDown(), SlowReader(), Bulk(), Seqpacket()};
}

}  // namespace sim
