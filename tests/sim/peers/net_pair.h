// net_pair.h: a driver and a device of one queue pair over one guest's memory,
// stepped by hand.

#ifndef TESTS_SIM_PEERS_NET_PAIR_H_
#define TESTS_SIM_PEERS_NET_PAIR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/peers/datagram_endpoint.h"
#include "sim/peers/net_device.h"
#include "sim/peers/net_driver.h"
#include "sim/peers/net_frame.h"
#include "virtqueue/owned_guest_memory.h"
#include "vsock/packet.h"

namespace sim {

struct NetPair {
  struct Options {
    NetDriver::Options driver;
    uint32_t packet_weight = 256;
    uint32_t tap_frames = 1000;
  };

  static Options Of(NetDriver::Options driver) {
    driver.payload = vsock::PayloadMode::kReal;
    return {.driver = driver};
  }

  explicit NetPair(const Options& options)
      : memory(*virtqueue::OwnedGuestMemory::Create(
            NetDriver::MemoryBytes(options.driver))),
        driver(*NetDriver::Create(memory, options.driver, sockets)),
        device(*NetDevice::Create(memory.memory(),
                                  {.ring_size = options.driver.ring_size,
                                   .event_idx = options.driver.event_idx,
                                   .indirect = options.driver.indirect,
                                   .in_order = options.driver.in_order,
                                   .rx = driver->rx_ring(),
                                   .tx = driver->tx_ring(),
                                   .packet_weight = options.packet_weight,
                                   .tap_frames = options.tap_frames,
                                   .payload = options.driver.payload})),
        sender(sockets.Open()) {}

  // A frame of `bytes` bytes that count up from `first`, charged 1000.
  NetFrame Frame(uint32_t bytes, uint8_t first = 0) {
    NetFrame frame;
    frame.bytes = bytes;
    frame.owner = sender;
    frame.send_charge = 1000;
    for (uint32_t i = 0; i < bytes; ++i) {
      frame.kept.push_back(static_cast<std::byte>(first + i));
    }
    sockets.Charge(sender, 1000);
    return frame;
  }

  // The vhost worker until it sleeps; what arrived at the host.
  std::vector<NetFrame> RunDevice() {
    std::vector<NetFrame> arrived;
    for (;;) {
      NetEffects effects = device->Step();
      interrupts += effects.work.interrupts;
      if (effects.arrived.has_value()) {
        arrived.push_back(*std::move(effects.arrived));
      }
      if (!effects.more) return arrived;
    }
  }

  // Napi until it sleeps; what arrived at the guest.
  std::vector<NetFrame> RunNapi() {
    std::vector<NetFrame> arrived;
    for (;;) {
      NetEffects effects = driver->NapiStep();
      if (effects.kick_tx) device->OnTxKick();
      if (effects.kick_rx) device->OnRxKick();
      if (effects.arrived.has_value()) {
        arrived.push_back(*std::move(effects.arrived));
      }
      if (!effects.more) return arrived;
    }
  }

  // Sends, and notifies the device if it must be. False: dropped.
  bool Transmit(NetFrame frame) {
    const NetEffects effects = driver->Transmit(std::move(frame));
    if (effects.kick_tx) device->OnTxKick();
    return !effects.dropped.has_value();
  }

  DatagramEndpoint sockets{{}};
  virtqueue::OwnedGuestMemory memory;
  std::unique_ptr<NetDriver> driver;
  std::unique_ptr<NetDevice> device;
  vsock::SocketId sender;
  uint32_t interrupts = 0;
};

}  // namespace sim

#endif  // TESTS_SIM_PEERS_NET_PAIR_H_
