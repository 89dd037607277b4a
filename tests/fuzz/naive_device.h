// naive_device.h: what a device half has to answer, given what is in memory.
//
// Spec: virtio 1.3, 2.7.6 to 2.7.8 and 2.8. It is told of each call, reads the
// ring out of an arena as it is at that time, and keeps what it knows in lists
// and plain counts.

#ifndef TESTS_FUZZ_NAIVE_DEVICE_H_
#define TESTS_FUZZ_NAIVE_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/fuzz/arena.h"
#include "tests/fuzz/naive_chain.h"
#include "tests/fuzz/ring_map.h"
#include "tests/fuzz/script.h"
#include "virtqueue/device_terms.h"

namespace fuzz {

class NaiveDevice {
 public:
  using PopResult = virtqueue::DeviceTerms::PopResult;

  // Both outlive it.
  static std::unique_ptr<NaiveDevice> Make(const Arena& arena,
                                           const QueueSpec& queue);
  virtual ~NaiveDevice() = default;
  virtual std::unique_ptr<NaiveDevice> Clone() const = 0;

  // What Pop has to say; with kChain, `chain` is that.
  PopResult Pop(NaiveChain& chain);
  void UnPop(const NaiveChain& chain);
  void Push(const NaiveChain& chain, uint32_t written);
  // Whether the driver has to be notified; nullopt if it asked for what makes
  // no sense. `words` is what it then has to find.
  std::optional<bool> Publish(std::vector<Word>& words);
  bool HasAvailable() const;

  // It was saved and restored: what it saw before, it has to look at again.
  virtual void Forget() {}
  // It begins there, and not at the beginning; see device_state.h.
  virtual void StartAt(uint16_t position) = 0;

  bool broken() const { return broken_; }
  uint32_t in_flight() const { return in_flight_; }

 protected:
  struct Used {
    NaiveChain chain;
    uint32_t written = 0;
  };

  NaiveDevice(const Arena& arena, const QueueSpec& queue)
      : arena_(arena),
        queue_(queue),
        map_(arena.addrs(), queue),
        reader_(arena, queue, ChainReader::Buffers::kInMemory) {}

  // The next chain that was not put back.
  virtual PopResult PopNext(NaiveChain& chain) = 0;
  virtual PopResult PopPutBack(NaiveChain& chain) = 0;
  virtual bool SeesAvailable() const = 0;
  virtual std::optional<bool> PublishBatch(std::vector<Word>& words) = 0;

  const Arena& arena_;
  const QueueSpec& queue_;
  const RingMap map_;
  const ChainReader reader_;
  std::vector<NaiveChain> put_back_;
  std::vector<Used> batch_;  // pushed and not published

 private:
  bool broken_ = false;
  uint32_t in_flight_ = 0;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_NAIVE_DEVICE_H_
