#include "bench/two_threads.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <latch>
#include <thread>
#include <utility>

#include "bench/application.h"
#include "bench/bells.h"
#include "bench/pin.h"
#include "bench/receiving_application.h"
#include "bench/sending_application.h"
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

// Runs both sides until their applications are finished.
void Meet(FlowPair& pair, Application& in_guest, Application& on_host,
          Waiting waiting, TwoThreadsResult& result) {
  Doorbell guest_bell(waiting);
  Doorbell host_bell(waiting);
  std::latch ready(2);
  Span guest;
  Span host;
  std::thread guest_thread =
      Start([&] { Serve(pair.guest(), in_guest, guest_bell, host_bell); },
            /*cpu=*/0, ready, guest);
  std::thread host_thread =
      Start([&] { Serve(pair.host(), on_host, host_bell, guest_bell); },
            /*cpu=*/1, ready, host);
  guest_thread.join();
  host_thread.join();
  result.sleeps = guest_bell.sleeps() + host_bell.sleeps();
  result.elapsed =
      std::max(guest.end, host.end) - std::min(guest.begin, host.begin);
  result.cpu = guest.cpu + host.cpu;
}

}  // namespace

TwoThreadsResult RunTwoThreads(const TwoThreadsRun& run) {
  FlowPair pair(run.flow);
  Progress progress;
  SendingApplication sending({.socket = pair.sender(),
                              .message_bytes = run.flow.message_bytes,
                              .messages = run.messages,
                              .patterned = run.compare},
                             progress);
  ReceivingApplication receiving({.socket = pair.receiver(),
                                  .message_bytes = run.flow.message_bytes,
                                  .patterned = run.compare},
                                 progress);
  TwoThreadsResult result;
  if (run.flow.to_host) {
    Meet(pair, sending, receiving, run.waiting, result);
  } else {
    Meet(pair, receiving, sending, run.waiting, result);
  }
  result.reads = receiving.reads();
  result.bytes = receiving.bytes();
  result.dropped = pair.dropped();
  result.intact = receiving.intact();
  result.work = pair.work();
  return result;
}

}  // namespace bench
