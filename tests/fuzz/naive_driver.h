// naive_driver.h: what a driver half has to answer, given what is in memory.
//
// Spec: virtio 1.3, 2.7.13, 2.7.14, 2.8.21 and 2.8.22. It is told of each call,
// reads the ring out of an arena as it is at that time, and keeps what it knows
// in lists and plain counts.

#ifndef TESTS_FUZZ_NAIVE_DRIVER_H_
#define TESTS_FUZZ_NAIVE_DRIVER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/fuzz/arena.h"
#include "tests/fuzz/naive_chain.h"
#include "tests/fuzz/ring_map.h"
#include "tests/fuzz/script.h"
#include "virtqueue/driver_terms.h"

namespace fuzz {

class NaiveDriver {
 public:
  using AddResult = virtqueue::DriverTerms::AddResult;
  using Used = virtqueue::DriverTerms::Used;

  struct Chain {
    uint64_t token = 0;
    NaiveChain shape;    // its buffers; its id once that is known
    bool known = false;  // that it is
    uint32_t slots = 1;  // or descriptors of the table
  };

  // Both outlive it.
  static std::unique_ptr<NaiveDriver> Make(const Arena& arena,
                                           const QueueSpec& queue);
  virtual ~NaiveDriver() = default;
  virtual std::unique_ptr<NaiveDriver> Clone() const = 0;

  // What Add has to say to a chain of these buffers.
  AddResult Add(const std::vector<Extent>& readable,
                const std::vector<Extent>& writable, uint64_t token);
  // Whether the device has to be notified; nullopt if it asked for what makes
  // no sense.
  std::optional<bool> Publish();
  // Reads what the last Publish showed to the device. False if that is not what
  // was added.
  virtual bool ReadBatch() = 0;
  // What Collect has to say.
  std::optional<Used> Collect();
  virtual bool HasUsed() const = 0;
  // That many are used as make EnableNotificationsDelayed true.
  virtual bool HasMostUsed() const = 0;

  // It was saved and restored: what it saw before, it has to look at again.
  virtual void Forget() {}
  // It begins there, and not at the beginning; see driver_state.h.
  virtual void StartAt(uint16_t position) = 0;

  // The chains that the device has, oldest first.
  const std::deque<Chain>& published() const { return published_; }
  bool broken() const { return broken_; }
  uint32_t in_flight() const {
    return static_cast<uint32_t>(published_.size() + added_.size());
  }
  uint32_t free_descriptors() const;

 protected:
  struct Answer {
    enum { kNothing, kFault, kUsed } kind = kNothing;
    uint32_t id = 0;
    uint32_t len = 0;
  };

  NaiveDriver(const Arena& arena, const QueueSpec& queue)
      : arena_(arena),
        queue_(queue),
        map_(arena.addrs(), queue),
        reader_(arena, queue, ChainReader::Buffers::kAnywhere) {}

  // The next used element.
  virtual Answer NextUsed() = 0;
  virtual void Skip(const Chain& chain) = 0;
  virtual std::optional<bool> Notify() = 0;  // of added_

  // Takes `found` for what memory has of `chain`, if it is that.
  static bool Matches(const NaiveChain& found, Chain& chain);

  const Arena& arena_;
  const QueueSpec& queue_;
  const RingMap map_;
  const ChainReader reader_;
  std::deque<Chain> added_;
  std::deque<Chain> published_;
  size_t batch_ = 0;  // so many of those came with the last Publish

 private:
  bool broken_ = false;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_NAIVE_DRIVER_H_
