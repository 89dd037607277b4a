// datagram_ledger.h: what has become of each UDP datagram of one direction.
//
// A datagram is under way from its send call until every frame of it has come
// to its end: it arrived, or was dropped. It is lost, once and with a cause,
// when the first of its frames is dropped, for from then on it cannot arrive
// whole; that the receiver gives the rest up only later, or after the run, is
// not counted again. IP ids name datagrams; one that is under way is not given
// to another (Linux lets ids meet after 65536 datagrams).
//
// Invariant: sent = queued + lost + live().

#ifndef SIM_PEERS_DATAGRAM_LEDGER_H_
#define SIM_PEERS_DATAGRAM_LEDGER_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "vsock/units.h"

namespace sim {

class DatagramLedger {
 public:
  // A datagram that was lost just now.
  struct Loss {
    vsock::Port source;
    uint32_t bytes;  // of payload
  };
  struct Counters {
    uint64_t sent = 0;
    uint64_t queued = 0;
    uint64_t lost = 0;
  };

  // A datagram that will go in so many frames gets its id. Nothing if all ids
  // are under way.
  std::optional<uint16_t> Begin(vsock::Port source, uint32_t bytes,
                                uint32_t frames);

  // The end of one of its frames. Nothing if the datagram was lost before.
  std::optional<Loss> OnDropped(uint16_t id);
  // `queued`: with this frame the datagram came into its socket's queue. If it
  // did not with its last frame, it never will.
  std::optional<Loss> OnArrived(uint16_t id, bool queued);

  const Counters& counters() const { return counters_; }
  // Under way and not lost, counted one by one.
  uint64_t live() const;

 private:
  struct Entry {
    vsock::Port source;
    uint32_t bytes = 0;
    uint32_t frames = 0;   // not yet at their end
    bool settled = false;  // queued or lost
  };

  std::optional<Loss> Lose(Entry& entry);
  void EndFrame(uint16_t id, Entry& entry);

  absl::flat_hash_map<uint16_t, Entry> under_way_;
  uint16_t next_id_ = 0;
  Counters counters_;
};

}  // namespace sim

#endif  // SIM_PEERS_DATAGRAM_LEDGER_H_
