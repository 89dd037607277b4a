// net_device.h: vhost-net for one queue pair: its rings and its tap queue.
//
// Spec: virtio 1.3, 5.1.6. Queueing follows Linux (drivers/vhost/net.c,
// drivers/net/tun.c): one worker serves both directions in turns of at most 256
// frames or 512 KiB.
//   tx  copies up to 64 frames that fit a page each (XDP batch), then hands the
//       batch to the tap, which takes each through the host's stack; the driver
//       is notified once a batch
//   rx  takes frames from the tap queue into mergeable buffers; the driver
//       sees them in lots of more than 64 buffers, or when the turn ends
// A full tap queue drops silently, and a frame in it charges nobody: tun
// orphans it. While there are no rx buffers the worker ignores the tap.
// Trust: none in the driver: every chain is checked by the queue and judged
// here, and completed whatever it held.
// Left out: zero copy, busy polling, an XDP program on the tap.

#ifndef SIM_PEERS_NET_DEVICE_H_
#define SIM_PEERS_NET_DEVICE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/peers/net_effects.h"
#include "sim/peers/net_frame.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "vsock/packet.h"

namespace sim {

class NetDevice {
 public:
  static constexpr uint32_t kBatch = 64;  // VHOST_NET_BATCH

  struct Options {
    uint16_t ring_size = 128;
    bool event_idx = true;
    bool indirect = true;
    bool in_order = false;
    virtqueue::RingAddrs rx;
    virtqueue::RingAddrs tx;
    uint32_t packet_weight = 256;
    uint32_t byte_weight = 512 << 10;
    uint32_t tap_frames = 1000;
    vsock::PayloadMode payload = vsock::PayloadMode::kElided;
  };

  // `memory` outlives the device. Errors: those of the queues.
  static absl::StatusOr<std::unique_ptr<NetDevice>> Create(
      const virtqueue::GuestMemory& memory, const Options& options);
  NetDevice(const NetDevice&) = delete;
  NetDevice& operator=(const NetDevice&) = delete;

  // Available buffer notifications. True: the worker slept and has something
  // to do.
  bool OnTxKick() { return Queue(Turn::kTx); }
  bool OnRxKick() { return Queue(Turn::kRx); }

  // The host's stack puts a frame into the tap queue.
  enum class OfferResult { kTaken, kTakenRunWorker, kFull };
  OfferResult Offer(NetFrame& frame);

  // The worker: finishes what is in hand, takes up the next.
  NetEffects Step();

  // Frames that went into the tap queue and came out; that were popped from
  // the tx ring, and of these, completed; that were put into the rx ring; what
  // lies here.
  uint64_t tap_in() const { return tap_in_; }
  uint64_t tap_out() const { return tap_in_ - tap_.size(); }
  uint64_t tx_popped() const { return tx_popped_; }
  uint64_t tx_completed() const { return tx_completed_; }
  uint64_t tx_malformed() const { return tx_malformed_; }
  uint64_t rx_added() const { return rx_added_; }
  uint64_t in_batch() const { return batch_.size(); }
  uint64_t in_tap() const { return tap_.size(); }
  uint64_t in_hand() const { return doing_ == Doing::kFilling ? 1 : 0; }
  // OK, or why a ring is broken.
  absl::Status status() const;

 private:
  enum class Turn : uint8_t {
    kNone,
    kTx,  // guest to host
    kRx,  // host to guest
  };
  //
  //   kNothing    between steps of a turn, or asleep.
  //   kCopying    a frame from the tx ring into the batch.
  //   kHandingOn  the batch's first frame to the tap and the host's stack.
  //   kFilling    rx buffers with the frame in hand.
  //
  enum class Doing : uint8_t { kNothing, kCopying, kHandingOn, kFilling };
  // When the batch has been handed on.
  enum class Then : uint8_t { kGoOn, kRequeue, kRest };

  struct Copied {  // a frame whose chain is to be completed
    virtqueue::Chain chain;
    NetFrame frame;
  };

  NetDevice(const Options& options, virtqueue::DeviceQueue tx,
            virtqueue::DeviceQueue rx);

  bool Queue(Turn turn);
  bool StartTurn();
  void EndTurn(bool requeue);
  bool WeightsUsedUp() const;
  void Finish(NetEffects& effects);

  bool ContinueTx(NetEffects& effects);
  bool CopyNext(NetEffects& effects);
  bool TakeUp(virtqueue::Chain chain, NetEffects& effects);
  void FlushThen(Then then);
  void FinishHandingOn(NetEffects& effects);
  void SignalTx(NetEffects& effects);

  bool ContinueRx(NetEffects& effects);
  bool GatherRxBuffers();
  void Fill(NetEffects& effects);
  void FinishFilling(NetEffects& effects);
  void SignalRx(NetEffects& effects);

  const Options options_;
  virtqueue::DeviceQueue tx_;
  virtqueue::DeviceQueue rx_;

  Turn turn_ = Turn::kNone;
  std::array<Turn, 2> queued_ = {};  // in order; each at most once
  Doing doing_ = Doing::kNothing;
  uint32_t turn_frames_ = 0;
  uint32_t turn_bytes_ = 0;

  std::deque<Copied> batch_;
  bool flushing_ = false;
  Then then_ = Then::kGoOn;

  std::deque<NetFrame> tap_;
  NetFrame filling_;
  std::vector<virtqueue::Chain> rx_chains_;  // popped and not completed
  uint64_t rx_room_ = 0;                     // in these
  uint32_t tx_unsignalled_ = 0;              // chains completed
  uint32_t rx_unsignalled_ = 0;
  bool waits_for_buffers_ = false;

  uint64_t tap_in_ = 0;
  uint64_t tx_popped_ = 0;
  uint64_t tx_completed_ = 0;
  uint64_t tx_malformed_ = 0;
  uint64_t rx_added_ = 0;
};

}  // namespace sim

#endif  // SIM_PEERS_NET_DEVICE_H_
