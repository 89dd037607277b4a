// The figures of a World's window: a difference of two states of its counters.

#include <cstddef>
#include <cstdint>

#include "sim/result.pb.h"
#include "sim/world.h"
#include "vsock/hdr.h"
#include "vsock/units.h"

namespace sim {

using vsock::Nanos;

World::Snapshot World::TakeSnapshot() const {
  Snapshot now;
  now.work = work_;
  for (vsock::Transport* transport :
       {&guest_->transport(), &host_->transport()}) {
    now.credit_updates +=
        transport->counters()
            .sent[static_cast<size_t>(vsock::Op::kCreditUpdate)];
  }
  now.worker_wakeups =
      vhost_worker_->use().wakeups - vhost_worker_->use().wakeups_while_awake;
  now.task_wakeups = task_wakeups_;
  for (uint32_t i = 0; i < guest_cpus_.count(); ++i) {
    now.guest_busy = now.guest_busy + guest_cpus_.processor(i).Busy();
  }
  for (uint32_t i = 0; i < host_cpus_.count(); ++i) {
    now.host_busy = now.host_busy + host_cpus_.processor(i).Busy();
  }
  now.worker_busy = vhost_worker_->use().busy;
  return now;
}

Totals World::Result() const {
  const Snapshot& a = at_begin_;
  const Snapshot& b = at_end_;
  Totals totals;
  totals.set_kicks_sent(b.work.kicks - a.work.kicks);
  totals.set_kicks_suppressed(b.work.kicks_suppressed -
                              a.work.kicks_suppressed);
  totals.set_interrupts_sent(b.work.interrupts - a.work.interrupts);
  totals.set_interrupts_suppressed(b.work.interrupts_suppressed -
                                   a.work.interrupts_suppressed);
  totals.set_credit_updates(b.credit_updates - a.credit_updates);
  totals.set_worker_wakeups(b.worker_wakeups - a.worker_wakeups);
  totals.set_task_wakeups(b.task_wakeups - a.task_wakeups);
  totals.set_ring_messages(ring_messages_);
  totals.set_laws_checked(guest_cpus_.count() + host_cpus_.count() +
                          2 * 5);  // Little and balance of five queues
  totals.set_events(loop_.dispatched());
  totals.set_simulated_us(static_cast<double>(now().value()) / 1e3);
  const double window_ns =
      static_cast<double>((window_.end - window_.begin).value());
  const auto add = [&](const char* name, uint32_t servers, Nanos busy) {
    StationUse* station = totals.add_station();
    station->set_name(name);
    station->set_servers(servers);
    station->set_busy_us(static_cast<double>(busy.value()) / 1e3);
    station->set_utilisation(static_cast<double>(busy.value()) /
                             (window_ns * servers));
  };
  add("guest_processors", guest_cpus_.count(), b.guest_busy - a.guest_busy);
  add("host_processors", host_cpus_.count(), b.host_busy - a.host_busy);
  add("vhost_worker", 1, b.worker_busy - a.worker_busy);
  return totals;
}

}  // namespace sim
