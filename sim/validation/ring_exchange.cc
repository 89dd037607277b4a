#include "sim/validation/ring_exchange.h"

#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "sim/event_loop.h"
#include "sim/processors.h"
#include "sim/task.h"
#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/driver_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/split_ring.h"
#include "vsock/units.h"

namespace sim {
namespace {

using virtqueue::Chain;
using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using vsock::Instant;
using vsock::Nanos;

constexpr uint64_t kMemoryBytes = 1 << 20;
constexpr uint32_t kItemBytes = 64;

virtqueue::OwnedGuestMemory MakeMemory() {
  auto memory = virtqueue::OwnedGuestMemory::Create(kMemoryBytes);
  VSOCK_CHECK(memory.ok());
  return *std::move(memory);
}

virtqueue::SplitRingAddrs LayOut(virtqueue::OwnedGuestMemory& memory,
                                 uint16_t size) {
  return virtqueue::LaySplitRing(
      memory.Allocate(virtqueue::SplitRingBytes(size), virtqueue::kCacheLine),
      size);
}

// One side: works on an item when it can, else sleeps or polls. With the burst
// of an item done it may owe a notification, with which the next burst begins.
class Party : public Task {
 public:
  Party(const PartyTimes& times, bool polls, Processors& processor)
      : times_(times), polls_(polls), processor_(processor) {}

  void Connect(Party& other) { other_ = &other; }

  std::optional<Nanos> Run(Instant now) override {
    Nanos burst(0);
    if (std::exchange(working_, false)) {
      ++done_;
      if (Finish() && !polls_) burst = Notify(now);
    }
    if (Begin()) {
      working_ = true;
      return burst + Nanos(times_.work);
    }
    if (burst > Nanos(0)) return burst;
    if (polls_) return Nanos(1);
    if (AskForNotification()) return Run(now);
    return std::nullopt;
  }

  // From the second notification to the last: time and items between.
  std::optional<double> TimePerItemOfCycles() const {
    if (notifications_ < 3) return std::nullopt;
    return static_cast<double>((last_at_ - second_at_).value()) /
           static_cast<double>(last_done_ - second_done_);
  }

  int64_t done() const { return done_; }

 protected:
  virtual bool Begin() = 0;   // whether there is an item to work on
  virtual bool Finish() = 0;  // shows it; whether a notification is owed
  virtual bool AskForNotification() = 0;  // true: too late, look again

 private:
  Nanos Notify(Instant now) {
    if (++notifications_ == 2) {
      second_at_ = now;
      second_done_ = done_;
    }
    last_at_ = now;
    last_done_ = done_;
    other_->processor_.Ready(*other_, Nanos(other_->times_.wakeup));
    return Nanos(times_.notification);
  }

  const PartyTimes times_;
  const bool polls_;
  Processors& processor_;
  Party* other_ = nullptr;
  bool working_ = false;
  int64_t done_ = 0;
  uint64_t notifications_ = 0;
  Instant second_at_{0};
  Instant last_at_{0};
  int64_t second_done_ = 0;
  int64_t last_done_ = 0;
};

class Producer final : public Party {
 public:
  Producer(const RingExchange& exchange, Processors& processor,
           DriverQueue& queue, virtqueue::GuestAddr item)
      : Party(exchange.producer, exchange.polls, processor),
        late_wakeup_(exchange.late_wakeup),
        queue_(queue),
        item_({.addr = item, .len = kItemBytes}) {
    queue_.DisableNotifications();
  }

 private:
  bool Begin() override {
    if (queue_.free_descriptors() == 0) {
      while (queue_.Collect().has_value()) {
      }
    }
    if (queue_.free_descriptors() == 0) return false;
    queue_.DisableNotifications();
    return true;
  }

  bool Finish() override {
    const auto added = queue_.Add(absl::MakeConstSpan(&item_, 1), {}, 0);
    VSOCK_CHECK(added == DriverQueue::AddResult::kAdded);
    return queue_.Publish();
  }

  bool AskForNotification() override {
    return late_wakeup_ ? queue_.EnableNotificationsDelayed()
                        : queue_.EnableNotifications();
  }

  const bool late_wakeup_;
  DriverQueue& queue_;
  const DriverQueue::Buffer item_;
};

class Consumer final : public Party {
 public:
  Consumer(const RingExchange& exchange, Processors& processor,
           DeviceQueue& queue)
      : Party(exchange.consumer, exchange.polls, processor), queue_(queue) {
    queue_.DisableNotifications();
  }

 private:
  bool Begin() override {
    if (queue_.Pop(chain_) != DeviceQueue::PopResult::kChain) return false;
    queue_.DisableNotifications();
    return true;
  }

  bool Finish() override {
    queue_.Push(chain_, 0);
    return queue_.Publish();
  }

  bool AskForNotification() override { return queue_.EnableNotifications(); }

  DeviceQueue& queue_;
  Chain chain_;
};

}  // namespace

double SimulatedTimePerItem(const RingExchange& exchange, int64_t items) {
  virtqueue::OwnedGuestMemory memory = MakeMemory();
  const virtqueue::SplitRingAddrs addrs = LayOut(memory, exchange.ring_size);
  const virtqueue::GuestAddr item = memory.Allocate(kItemBytes, 8);
  auto driver = DriverQueue::Create(
      memory.memory(), addrs, {.size = exchange.ring_size, .event_idx = true});
  auto device = DeviceQueue::Create(
      memory.memory(), addrs, {.size = exchange.ring_size, .event_idx = true});
  VSOCK_CHECK(driver.ok() && device.ok());

  EventLoop loop;
  Processors producer_cpu(loop, "producer", {});
  Processors consumer_cpu(loop, "consumer", {});
  Producer producer(exchange, producer_cpu, *driver, item);
  Consumer consumer(exchange, consumer_cpu, *device);
  producer.Connect(consumer);
  consumer.Connect(producer);
  consumer_cpu.Ready(consumer, Nanos(0));  // finds nothing, and sleeps
  producer_cpu.Ready(producer, Nanos(0));
  const int64_t longest = exchange.producer.work + exchange.consumer.work;
  while (consumer.done() < items) {
    loop.RunUntil(loop.now() + Nanos(longest));
  }
  for (const Party* party :
       {static_cast<Party*>(&producer), static_cast<Party*>(&consumer)}) {
    if (const auto time = party->TimePerItemOfCycles()) return *time;
  }
  return static_cast<double>(loop.now().value()) /
         static_cast<double>(consumer.done());
}

double FastConsumerTime(const PartyTimes& producer,
                        const PartyTimes& consumer) {
  VSOCK_CHECK(consumer.work < producer.work);
  const int64_t head_start = consumer.wakeup - producer.notification;
  const int64_t gain = producer.work - consumer.work;
  const int64_t m = head_start < 0 ? 1 : head_start / gain + 1;
  return static_cast<double>(producer.work) +
         static_cast<double>(producer.notification) / static_cast<double>(m);
}

double SlowConsumerTime(const PartyTimes& producer, const PartyTimes& consumer,
                        int64_t wake_when_free) {
  VSOCK_CHECK(producer.work < consumer.work);
  // The first item of the refill that finds the ring full.
  int64_t items = wake_when_free;
  for (;; ++items) {
    const int64_t since =
        producer.wakeup + items * producer.work - consumer.notification;
    const int64_t consumed = since < 0 ? 0 : since / consumer.work;
    if (items >= wake_when_free + consumed) break;
  }
  return static_cast<double>(consumer.work) +
         static_cast<double>(consumer.notification) /
             static_cast<double>(items);
}

}  // namespace sim
