// credit.h: stream credit, both directions of one socket.
//
// Spec: virtio 1.3, 5.10.6.3 "Buffer Space Management". Rules beyond the text
// are Linux's (net/vmw_vsock/virtio_transport_common.c, 2026): the cap at the
// local buffer, the saturation when a peer shrinks its buffer, and when an
// update is due. See docs/model.md, "Credit".
// Trust: OnPeer takes what the peer claims; no claim makes an index or a
// length wrong, it only opens or closes the window.
//
// Every counter is free running and wraps at 2^32, as on the wire.

#ifndef VSOCK_CREDIT_H_
#define VSOCK_CREDIT_H_

#include <cstdint>

#include "vsock/hdr.h"

namespace vsock {

class Credit {
 public:
  explicit Credit(uint32_t buf_alloc) : buf_alloc_(buf_alloc) {}

  // Sending side.

  // Payload bytes that may be sent now:
  //   max(0, min(peer_buf_alloc, buf_alloc) - (tx_cnt - peer_fwd_cnt))
  // with the difference taken modulo 2^32. The local cap bounds what a peer
  // can make this side hold; the maximum covers a peer that shrinks its buffer
  // below what is in flight.
  uint32_t Space() const {
    const uint32_t limit = Limit();
    const uint32_t in_flight = InFlight();
    return in_flight < limit ? limit - in_flight : 0;
  }

  // Reserves up to `want` bytes, before the packet is built.
  uint32_t Take(uint32_t want) {
    const uint32_t space = Space();
    const uint32_t grant = want < space ? want : space;
    tx_cnt_ += grant;
    return grant;
  }

  // Gives back what was reserved for a packet that never came to be.
  void Return(uint32_t unused) { tx_cnt_ -= unused; }

  // Notes the credit that every packet of a stream flow carries. Returns
  // whether the sender may now send.
  bool OnPeer(const VsockHdr& hdr) {
    peer_buf_alloc_ = hdr.buf_alloc;
    peer_fwd_cnt_ = hdr.fwd_cnt;
    return Space() > 0;
  }

  // Receiving side.

  // Whether `len` more bytes are within what was announced; counts them if so.
  bool Accept(uint32_t len) {
    if (len > buf_alloc_ || buf_used_ > buf_alloc_ - len) return false;
    buf_used_ += len;
    rx_bytes_ += len;
    return true;
  }

  // The application took `len` bytes off the queue.
  void OnRead(uint32_t len) { rx_bytes_ -= len; }

  // Packets holding `len` payload bytes were freed. Linux moves fwd_cnt only
  // when a whole packet has been consumed.
  void OnFreed(uint32_t len) {
    fwd_cnt_ += len;
    buf_used_ -= len;
  }

  // What was received and not read has been thrown away.
  void Discard() {
    OnRead(rx_bytes_);
    OnFreed(buf_used_);
  }

  // Whether a read leaves the peer to be told: something was consumed that it
  // does not know of, and either its view is short of one largest packet or
  // the queue holds less than the reader waits for (SO_RCVLOWAT).
  bool UpdateDue(uint32_t low_water) const {
    const uint32_t unannounced = fwd_cnt_ - last_fwd_cnt_;
    if (unannounced == 0) return false;
    return int64_t{buf_alloc_} - unannounced < kMaxPayload ||
           rx_bytes_ < low_water;
  }

  // Whether the peer does not know of something that was consumed, or of a
  // change of the buffer.
  bool HasUnannounced() const {
    return fwd_cnt_ != last_fwd_cnt_ || buf_alloc_ != last_buf_alloc_;
  }

  // Announces: every packet of the flow carries both numbers.
  void Stamp(VsockHdr& hdr) {
    if (most_announced_ < buf_alloc_) most_announced_ = buf_alloc_;
    hdr.buf_alloc = buf_alloc_;
    hdr.fwd_cnt = fwd_cnt_;
    last_fwd_cnt_ = fwd_cnt_;
    last_buf_alloc_ = buf_alloc_;
  }

  void Resize(uint32_t buf_alloc) { buf_alloc_ = buf_alloc; }

  // Starts the counters elsewhere than at zero, as after 4 GiB of traffic.
  void StartAt(uint32_t tx_cnt, uint32_t fwd_cnt) {
    tx_cnt_ = peer_fwd_cnt_ = tx_cnt;
    fwd_cnt_ = last_fwd_cnt_ = fwd_cnt;
  }

  uint32_t buf_alloc() const { return buf_alloc_; }
  uint32_t most_announced() const { return most_announced_; }
  uint32_t buf_used() const { return buf_used_; }
  uint32_t rx_bytes() const { return rx_bytes_; }
  uint32_t fwd_cnt() const { return fwd_cnt_; }
  uint32_t announced_fwd_cnt() const { return last_fwd_cnt_; }
  uint32_t announced_buf_alloc() const { return last_buf_alloc_; }
  uint32_t tx_cnt() const { return tx_cnt_; }
  uint32_t peer_buf_alloc() const { return peer_buf_alloc_; }
  uint32_t peer_fwd_cnt() const { return peer_fwd_cnt_; }
  uint32_t InFlight() const { return tx_cnt_ - peer_fwd_cnt_; }
  uint32_t Limit() const {
    return peer_buf_alloc_ < buf_alloc_ ? peer_buf_alloc_ : buf_alloc_;
  }

 private:
  uint32_t tx_cnt_ = 0;  // bytes sent
  uint32_t peer_buf_alloc_ = 0;
  uint32_t peer_fwd_cnt_ = 0;

  uint32_t buf_alloc_;  // bytes announced
  uint32_t most_announced_ = 0;
  uint32_t buf_used_ = 0;        // bytes held by queued packets
  uint32_t rx_bytes_ = 0;        // bytes not read yet
  uint32_t fwd_cnt_ = 0;         // bytes freed
  uint32_t last_fwd_cnt_ = 0;    // of these, announced
  uint32_t last_buf_alloc_ = 0;  // of buf_alloc, the same
};

}  // namespace vsock

#endif  // VSOCK_CREDIT_H_
