// A UDP datagram cut into frames, and carried through the rings of one queue
// pair to the other machine's socket.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "sim/peers/ipv4.h"
#include "sim/peers/net_device.h"
#include "sim/peers/net_driver.h"
#include "sim/peers/net_effects.h"
#include "sim/peers/net_frame.h"
#include "sim/peers/udp_stack.h"
#include "virtqueue/check.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/packet.h"
#include "vsock/transport.h"
#include "vsock/units.h"

namespace bench {
namespace {

using sim::NetDevice;
using sim::NetDriver;
using sim::NetEffects;
using sim::NetFrame;
using sim::UdpStack;

constexpr vsock::Cid kGuest{3};

// A guest that sends to its host, on one thread.
class UdpRound {
 public:
  UdpRound(uint32_t bytes, uint32_t mtu)
      : guest_(
            {.endpoint = {.cid = kGuest}, .peer = vsock::kCidHost, .mtu = mtu}),
        host_(
            {.endpoint = {.cid = vsock::kCidHost}, .peer = kGuest, .mtu = mtu}),
        message_{.len = bytes, .to = vsock::Address{vsock::kCidHost, kPort}},
        memory_(*virtqueue::OwnedGuestMemory::Create(
            NetDriver::MemoryBytes({.mtu = mtu}))),
        driver_(*NetDriver::Create(memory_, {.mtu = mtu}, guest_.sockets())),
        device_(*NetDevice::Create(
            memory_.memory(),
            {.rx = driver_->rx_ring(), .tx = driver_->tx_ring()})),
        sender_(guest_.sockets().Open()),
        receiver_(host_.sockets().Open()) {
    VSOCK_CHECK(guest_.sockets().Bind(sender_, 0).ok());
    VSOCK_CHECK(host_.sockets().Bind(receiver_, kPort.value()).ok());
  }

  // The call alone: charge, fragment, write headers.
  void Cut() {
    VSOCK_CHECK(guest_.Send(sender_, message_, frames_).accepted ==
                message_.len);
  }
  // Undoes it.
  void Discard() {
    for (const NetFrame& frame : frames_) {
      guest_.sockets().Release(sender_, frame.send_charge);
      guest_.ledger().OnDropped(sim::ParseFrame(frame.kept, frame.bytes)->id);
    }
  }

  // From the call to the read, charges and buffers back.
  void Cross() {
    Cut();
    for (NetFrame& frame : frames_) {
      const NetEffects effects = driver_->Transmit(std::move(frame));
      if (effects.kick_tx) device_->OnTxKick();
    }
    for (bool more = true; more;) {
      NetEffects effects = device_->Step();
      if (effects.arrived.has_value()) Arrive(*effects.arrived);
      more = effects.more;
    }
    VSOCK_CHECK(!driver_->NapiStep().more);
    VSOCK_CHECK(host_.sockets().Receive(receiver_, nullptr, 65536).bytes ==
                message_.len);
  }

 private:
  static constexpr vsock::Port kPort{7};

  void Arrive(const NetFrame& frame) {
    const bool queued =
        host_.Receive(frame, vsock::Instant(0)) == UdpStack::Outcome::kQueued;
    guest_.ledger().OnArrived(sim::ParseFrame(frame.kept, frame.bytes)->id,
                              queued);
  }

  UdpStack guest_, host_;
  const vsock::Message message_;
  virtqueue::OwnedGuestMemory memory_;
  std::unique_ptr<NetDriver> driver_;
  std::unique_ptr<NetDevice> device_;
  vsock::SocketId sender_, receiver_;
  std::vector<NetFrame> frames_;
};

UdpRound RoundOf(const benchmark::State& state) {
  return UdpRound(static_cast<uint32_t>(state.range(0)),
                  static_cast<uint32_t>(state.range(1)));
}

void BM_UdpCut(benchmark::State& state) {
  UdpRound round = RoundOf(state);
  for (auto _ : state) {
    round.Cut();
    round.Discard();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_UdpCut)
    ->ArgNames({"bytes", "mtu"})
    ->ArgsProduct({{64, 4096, 65507}, {1500, 9000}});

void BM_UdpCross(benchmark::State& state) {
  UdpRound round = RoundOf(state);
  for (auto _ : state) round.Cross();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_UdpCross)
    ->ArgNames({"bytes", "mtu"})
    ->ArgsProduct({{64, 4096, 65507}, {1500, 9000}});

}  // namespace
}  // namespace bench
