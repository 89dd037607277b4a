// ring_exchange.h: a producer and a consumer of fixed pace over a real split
// ring, in virtual time.
//
// The driver half is filled by one task, the device half emptied by another,
// each on a processor of its own; whether a notification is owed is asked of
// the ring, with VIRTIO_F_EVENT_IDX (virtio 1.3, 2.7.7 and 2.7.10). Names as in
// Rizzo, Garzarella, Lettieri and Maffione, "A Study of Speed Mismatches
// Between Communicating Virtual Machines", ANCS 2016.

#ifndef SIM_VALIDATION_RING_EXCHANGE_H_
#define SIM_VALIDATION_RING_EXCHANGE_H_

#include <cstdint>

namespace sim {

// All in nanoseconds, all above zero.
struct PartyTimes {
  int64_t work;          // W: for an item
  int64_t notification;  // N: what notifying the other takes
  int64_t wakeup;        // S: from the start of the other's notification until
                         // this one is awake
};

struct RingExchange {
  PartyTimes producer;
  PartyTimes consumer;
  uint16_t ring_size = 256;

  // A sleeping producer asks to be woken when three quarters of the ring are
  // used, instead of at the first used buffer.
  bool late_wakeup = false;

  // Neither sleeps nor notifies; looks again after a nanosecond.
  bool polls = false;
};

// Nanoseconds for an item over whole cycles of notifications, after the first
// ones, or over `items` items if there are no cycles.
double SimulatedTimePerItem(const RingExchange& exchange, int64_t items);

// The same by the closed forms for deterministic times. The consumer is the
// faster one: one notification every m items, m the smallest with N_p + m W_p >
// S_c + m W_c; T = W_p + N_p / m.
double FastConsumerTime(const PartyTimes& producer, const PartyTimes& consumer);

// The producer is the faster one, and is woken when `wake_when_free` slots are
// free: one notification every m' items, those slots and what is consumed while
// the producer refills; T = W_c + N_c / m'. While the ring does not run dry.
double SlowConsumerTime(const PartyTimes& producer, const PartyTimes& consumer,
                        int64_t wake_when_free);

}  // namespace sim

#endif  // SIM_VALIDATION_RING_EXCHANGE_H_
