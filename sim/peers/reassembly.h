// reassembly.h: fragments become datagrams again, or are given up.
//
// Spec: RFC 791, 3.2 "An Example Reassembly Procedure": pieces belong together
// if source, destination, protocol and id agree; here the protocol is UDP.
// Limits as in Linux (net/ipv4/ip_fragment.c, inet_fragment.c): an incomplete
// datagram is given up after 30 s, and loses what it has when 64 other pieces
// came before its next one (ipfrag_max_dist: that is what a reused id looks
// like, and what many queues in parallel look like as well); above 4 MiB of
// memory no new one is begun; pieces that overlap spoil theirs.
// Trust: pieces are the peer's and may overlap, repeat or contradict.
// Left out: the ICMP message of the time-out.

#ifndef SIM_PEERS_REASSEMBLY_H_
#define SIM_PEERS_REASSEMBLY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "sim/peers/ipv4.h"
#include "vsock/units.h"

namespace sim {

// All of an IP payload.
struct IpPayload {
  uint32_t bytes = 0;
  uint32_t charge = 0;  // memory of its frames
  absl::InlinedVector<std::byte, 24> kept;
};

class Reassembly {
 public:
  static constexpr uint64_t kHighThreshold = 4 << 20;      // ipfrag_high_thresh
  static constexpr vsock::Nanos kTimeout{30'000'000'000};  // ipfrag_time
  static constexpr uint64_t kMaxDistance = 64;             // ipfrag_max_dist

  enum class Verdict {
    kKept,       // more is missing
    kComplete,   // see `payload`
    kNoMemory,   // above the threshold; this piece is gone
    kDuplicate,  // this piece is there already
    kSpoiled,    // contradicts what came before; all of it is gone
  };
  struct Result {
    Verdict verdict;
    IpPayload payload;
  };

  // Of a complete payload no more than `most_kept` bytes are put together.
  explicit Reassembly(uint32_t most_kept) : most_kept_(most_kept) {}

  // A piece of a fragmented datagram, in a frame of `charge` bytes of memory;
  // `kept` are the first bytes of its part of the IP payload.
  Result Add(const ParsedFrame& frame, absl::Span<const std::byte> kept,
             uint32_t charge, vsock::Instant now);

  uint64_t memory() const { return memory_; }
  uint64_t incomplete() const { return queues_.size(); }
  uint64_t given_up() const { return given_up_; }  // datagrams

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint16_t>;

  struct Piece {
    uint32_t offset, bytes;
    absl::InlinedVector<std::byte, 24> kept;
  };
  struct Queue {
    uint64_t number;  // tells it from an earlier one with its key
    uint64_t last_seen;
    std::vector<Piece> pieces;      // by offset
    std::optional<uint32_t> total;  // known once the last piece is there
    uint32_t bytes = 0;             // that are there
    uint32_t charge = 0;
  };
  struct Deadline {
    vsock::Instant at;
    Key key;
    uint64_t number;
  };

  void ExpireBy(vsock::Instant now);
  void GiveUp(const Key& key);
  Queue* FindOrBegin(const Key& key, vsock::Instant now);
  Verdict Insert(Queue& queue, const Fragment& fragment,
                 absl::Span<const std::byte> kept) const;
  IpPayload PutTogether(const Queue& queue) const;

  const uint32_t most_kept_;
  absl::flat_hash_map<Key, Queue> queues_;
  std::deque<Deadline> deadlines_;  // in the order in which they come
  uint64_t memory_ = 0;
  uint64_t begun_ = 0;
  uint64_t seen_ = 0;  // pieces
  uint64_t given_up_ = 0;
};

}  // namespace sim

#endif  // SIM_PEERS_REASSEMBLY_H_
