#include "sim/cost_model.h"

#include <cstddef>
#include <cstdint>

#include "sim/platform.pb.h"
#include "vsock/units.h"
#include "vsock/work.h"

namespace sim {
namespace {

constexpr uint64_t kPsPerNs = 1000;

uint64_t Ps(const Cost& cost) {
  return cost.unit() == Cost::PICOSECONDS_PER_BYTE ? cost.mode()
                                                   : cost.mode() * kPsPerNs;
}

vsock::Nanos Scale(uint64_t ps, uint32_t per_mille) {
  const uint64_t scaled = ps * per_mille / 1000;
  return vsock::Nanos(static_cast<int64_t>(scaled / kPsPerNs));
}

}  // namespace

CostModel::CostModel(const Platform& platform)
    : prices_{{{.byte = Ps(platform.copy()),
                .packet = 0,
                .descriptor = Ps(platform.ring_descriptor()),
                .kick = Ps(platform.kick()),
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = Ps(platform.syscall())},
               {.byte = Ps(platform.copy()),
                .packet = Ps(platform.guest_packet()),
                .descriptor = Ps(platform.ring_descriptor()),
                .kick = Ps(platform.kick()),
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = 0},
               {.byte = Ps(platform.worker_copy()),
                .packet = Ps(platform.worker_packet()),
                .descriptor = 0,
                .kick = 0,
                .interrupt = Ps(platform.interrupt_injection()),
                .wakeup = 0,
                .allocation = Ps(platform.worker_delivery()),
                .syscall = 0},
               {.byte = Ps(platform.copy()),
                .packet = 0,
                .descriptor = Ps(platform.unix_pages()),
                .kick = 0,
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = Ps(platform.syscall())},
               {.byte = Ps(platform.unix_copy_out()),
                .packet = Ps(platform.unix_receive()),
                .descriptor = 0,
                .kick = 0,
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = 0,
                .syscall = Ps(platform.syscall())},
               {.byte = Ps(platform.copy()),
                .packet = Ps(platform.vmci_host_datagram()),
                .descriptor = 0,
                .kick = Ps(platform.vmci_hypercall()),
                .interrupt = Ps(platform.interrupt_injection()),
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = Ps(platform.syscall())},
               {.byte = Ps(platform.copy()),
                .packet = Ps(platform.vmci_guest_datagram()),
                .descriptor = 0,
                .kick = 0,
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = 0},
               {.byte = Ps(platform.copy()),
                .packet = Ps(platform.udp_packet()),
                .descriptor = Ps(platform.ring_descriptor()),
                .kick = Ps(platform.kick()),
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = Ps(platform.packet_allocation()),
                .syscall = Ps(platform.syscall())},
               {.byte = 0,
                .packet = Ps(platform.udp_packet()),
                .descriptor = 0,
                .kick = 0,
                .interrupt = 0,
                .wakeup = Ps(platform.task_wakeup()),
                .allocation = 0,
                .syscall = 0},
               {.byte = 0,
                .packet = 0,
                .descriptor = Ps(platform.ring_descriptor()),
                .kick = Ps(platform.kick()),
                .interrupt = 0,
                .wakeup = 0,
                .allocation = Ps(platform.packet_allocation()),
                .syscall = 0},
               {.byte = Ps(platform.worker_copy()),
                .packet = Ps(platform.tap_packet()),
                .descriptor = Ps(platform.ring_descriptor()),
                .kick = 0,
                .interrupt = Ps(platform.interrupt_injection()),
                .wakeup = 0,
                .allocation = Ps(platform.packet_allocation()),
                .syscall = 0}}},
      delays_ps_{Ps(platform.worker_wakeup()), Ps(platform.guest_interrupt()),
                 Ps(platform.task_latency()), Ps(platform.context_switch())} {}

vsock::Nanos CostModel::Price(Step step, const vsock::Work& work,
                              uint32_t per_mille) const {
  const PricesPs& price = prices_[static_cast<size_t>(step)];
  const uint64_t ps =
      work.bytes_copied * price.byte + work.packets * price.packet +
      work.descriptors * price.descriptor + work.kicks * price.kick +
      work.interrupts * price.interrupt + work.wakeups * price.wakeup +
      work.allocations * price.allocation + work.syscalls * price.syscall;
  return Scale(ps, per_mille);
}

vsock::Nanos CostModel::Length(Delay delay, uint32_t per_mille) const {
  return Scale(delays_ps_[static_cast<size_t>(delay)], per_mille);
}

}  // namespace sim
