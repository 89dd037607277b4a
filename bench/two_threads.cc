#include "bench/two_threads.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <latch>
#include <thread>

#include "bench/application.h"
#include "bench/guest_side.h"
#include "bench/host_side.h"
#include "bench/pin.h"
#include "bench/receiving_application.h"
#include "bench/sending_application.h"
#include "tests/support/vsock_pair.h"
#include "vsock/units.h"

namespace bench {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

nanoseconds ThreadCpu() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

struct Span {
  steady_clock::time_point begin;
  steady_clock::time_point end;
  nanoseconds cpu;
};

// One thread's whole work, between its doorbell and the other's.
template <typename Side>
void Serve(Side& side, Application& application, Doorbell& own,
           Doorbell& other) {
  const vsock::Instant now(0);  // no time-out is due within a run
  while (!application.finished()) {
    side.OnBells(own.Take());
    other.Ring(side.Step(now));
    switch (application.Step(side.sockets(), !side.busy())) {
      case Application::Outcome::kNothing:
        break;
      case Application::Outcome::kSubmit:
        other.Ring(side.Submit());
        break;
      case Application::Outcome::kTellOther:
        other.Ring(kHarnessBell);
        break;
    }
    if (!side.busy() && !application.runnable() && !application.finished()) {
      own.Wait();
    }
  }
  other.Ring(kHarnessBell);
}

uint64_t Dropped(vsock::VsockPair& pair) {
  return pair.guest_sockets().losses().counters().total().packets +
         pair.guest().driver().losses().counters().total().packets +
         pair.host_sockets().losses().counters().total().packets +
         pair.device().losses().counters().total().packets;
}

// Runs `serve` on a processor of its own and notes the time it took.
std::thread Start(std::function<void()> serve, unsigned cpu, std::latch& ready,
                  Span& span) {
  return std::thread([serve = std::move(serve), cpu, &ready, &span] {
    PinToCpu(cpu);
    ready.arrive_and_wait();
    const nanoseconds cpu_before = ThreadCpu();
    span.begin = steady_clock::now();
    serve();
    span.end = steady_clock::now();
    span.cpu = ThreadCpu() - cpu_before;
  });
}

}  // namespace

TwoThreadsResult RunTwoThreads(const TwoThreadsRun& run) {
  vsock::VsockPair pair(PairFor(run.flow));
  const Flow flow = OpenFlow(pair, run.flow);
  Progress progress;
  SendingApplication sending({.socket = flow.sender,
                              .message_bytes = run.flow.message_bytes,
                              .messages = run.messages,
                              .patterned = run.compare},
                             progress);
  ReceivingApplication receiving({.socket = flow.receiver,
                                  .message_bytes = run.flow.message_bytes,
                                  .patterned = run.compare},
                                 progress);
  GuestSide guest(pair.guest());
  HostSide host(pair.host(), pair.device());
  Application* in_guest = &sending;
  Application* on_host = &receiving;
  if (!run.flow.to_host) std::swap(in_guest, on_host);

  Doorbell guest_bell(run.waiting);
  Doorbell host_bell(run.waiting);
  std::latch ready(2);
  Span guest_span;
  Span host_span;
  std::thread guest_thread =
      Start([&] { Serve(guest, *in_guest, guest_bell, host_bell); }, 0, ready,
            guest_span);
  std::thread host_thread =
      Start([&] { Serve(host, *on_host, host_bell, guest_bell); }, 1, ready,
            host_span);
  guest_thread.join();
  host_thread.join();

  TwoThreadsResult result = {
      .reads = receiving.reads(),
      .bytes = receiving.bytes(),
      .dropped = Dropped(pair),
      .intact = receiving.intact(),
      .sleeps = guest_bell.sleeps() + host_bell.sleeps(),
      .work = guest.work(),
      .elapsed = std::max(guest_span.end, host_span.end) -
                 std::min(guest_span.begin, host_span.begin),
      .cpu = guest_span.cpu + host_span.cpu};
  result.work += host.work();
  return result;
}

}  // namespace bench
