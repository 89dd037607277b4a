// raw_guest.h: a guest without a driver: a test writes its rings by hand, as
// lawfully or not as it likes, and a real host and device meet it.

#ifndef TESTS_SUPPORT_RAW_GUEST_H_
#define TESTS_SUPPORT_RAW_GUEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/virtqueue/heap_memory.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_driver.h"
#include "vsock/device.h"
#include "vsock/hdr.h"
#include "vsock/host.h"
#include "vsock/units.h"

namespace vsock {

class RawGuest {
 public:
  static constexpr Cid kCid{3};
  static constexpr Port kPort{40};        // where it says it sends from
  static constexpr uint16_t kRing = 128;  // descriptors of either ring

  // One descriptor of a chain.
  struct Piece {
    uint32_t len = 0;
    bool writable = false;
  };
  using Pieces = std::vector<Piece>;

  explicit RawGuest(bool indirect = true);

  Transport& host() { return host_->transport(); }
  Device& device() { return *device_; }

  // A lawful header from this guest to `port` of the host.
  static VsockHdr Header(Type type, Op op, Port port, uint32_t len = 0);

  // Offers `bytes` on the tx ring, cut as `pieces` says; bytes beyond them are
  // left out, pieces beyond the bytes hold zeros. As an indirect table if
  // `indirect`.
  void OfferTx(const std::vector<std::byte>& bytes, const Pieces& pieces,
               bool indirect = false);
  // Header and payload of zeros, each in a descriptor of its own.
  void OfferTx(const VsockHdr& hdr, uint32_t payload = 0);
  void OfferRx(const Pieces& pieces, bool indirect = false);
  // A chain on the tx ring, written by hand into the table from entry 0 on.
  void OfferTxDescriptors(const std::vector<virtqueue::Descriptor>& descs);

  // Kicks both rings and lets the device run until it sleeps.
  void Serve();

  // Chains of either ring that came back, and whether all have.
  uint16_t tx_used() const { return tx_.ring.UsedIdx(); }
  uint16_t rx_used() const { return rx_.ring.UsedIdx(); }
  bool all_tx_used() const { return tx_used() == tx_.offered; }
  bool all_rx_used() const { return rx_used() == rx_.offered; }

  // What the last used rx chain holds, by its used len.
  std::vector<std::byte> LastRx() const;
  VsockHdr LastRxHeader() const;
  uint32_t LastTxUsedLen() const { return LastUsed(tx_).len; }
  uint32_t LastRxUsedLen() const { return LastUsed(rx_).len; }

  // An address where there is no memory.
  static constexpr uint64_t kNowhere = 0x7000000;

 private:
  // One ring and what lies in it. Descriptors, tables and buffers are reused
  // from the beginning once everything that was offered is used.
  struct Half {
    Half(const HeapMemory& memory, uint64_t base);

    virtqueue::SplitRingAddrs addrs;
    virtqueue::RawDriver ring;
    uint64_t table;
    uint64_t buffers;
    uint16_t offered = 0;
    uint16_t next_descriptor = 0;
    uint64_t next_buffer = 0;
  };

  uint64_t Offer(Half& half, const Pieces& pieces, bool indirect);
  void OfferDescriptors(Half& half, std::vector<virtqueue::Descriptor> descs,
                        bool indirect);
  virtqueue::RawDriver::UsedElem LastUsed(const Half& half) const;

  HeapMemory memory_;
  Half tx_;
  Half rx_;
  std::unique_ptr<Host> host_;
  Device* device_;
};

// The bytes of a header and, behind it, of a payload.
std::vector<std::byte> WireBytes(const VsockHdr& hdr,
                                 const std::vector<std::byte>& payload);

}  // namespace vsock

#endif  // TESTS_SUPPORT_RAW_GUEST_H_
