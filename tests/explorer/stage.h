// stage.h: the memory that driver and device meet in, and its two halves as
// they are at the beginning.

#ifndef TESTS_EXPLORER_STAGE_H_
#define TESTS_EXPLORER_STAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/explorer/place.h"
#include "tests/explorer/scene.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/device_state.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/driver_state.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/shared_le.h"

namespace virtqueue {

class Stage {
 public:
  explicit Stage(const Scene& scene);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const Scene& scene() const { return scene_; }
  const PlaceMap& places() const { return places_; }

  // Either half, after scene().before buffers went round.
  DriverQueue MakeDriver() const;
  DeviceQueue MakeDevice() const;
  // What lies in each place then.
  std::vector<uint64_t> InitialValues() const;

  // The bytes of the chain with that number; chains share them by turns.
  GuestAddr request_at(uint64_t chain) const { return At(requests_, chain); }
  GuestAddr reply_at(uint64_t chain) const { return At(replies_, chain); }
  SharedLe64& request(uint64_t chain) const { return Word(request_at(chain)); }
  SharedLe64& reply(uint64_t chain) const { return Word(reply_at(chain)); }

 private:
  GuestAddr At(GuestAddr base, uint64_t chain) const {
    return base + chain % scene_.size * sizeof(uint64_t);
  }
  SharedLe64& Word(GuestAddr at) const;
  DriverQueue::Options DriverOptions() const;
  DeviceQueue::Options DeviceOptions() const;
  void GoRound(DriverQueue& driver, DeviceQueue& device) const;

  const Scene scene_;
  OwnedGuestMemory memory_;
  const RingAddrs addrs_;
  const GuestAddr requests_;
  const GuestAddr replies_;
  const GuestAddr tables_;
  const PlaceMap places_;
  DriverState driver_;
  DeviceState device_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_STAGE_H_
