#include "sim/validation/ring_probes.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "sim/validation/ring_exchange.h"

namespace sim {
namespace {

constexpr int64_t kItems = 20'000;
constexpr uint16_t kRingSize = 128;
constexpr int64_t kPayloadBytes = 4096;

// The consumer's work in percent of the producer's.
constexpr int kFastPercent[] = {95, 75, 50, 20, 5};
constexpr int kSlowPercent = 150;

int64_t CopyNs(const Cost& per_byte) {
  return kPayloadBytes * per_byte.mode() / 1000;
}

// A guest's call that puts 4 KiB on the ring, and the device's worker.
PartyTimes ProducerOf(const Platform& costs) {
  return {.work = costs.syscall().mode() + costs.packet_allocation().mode() +
                  CopyNs(costs.copy()) + 2 * costs.ring_descriptor().mode(),
          .notification = costs.kick().mode(),
          .wakeup = costs.interrupt_injection().mode() +
                    costs.guest_interrupt().mode()};
}

PartyTimes WorkerOf(const Platform& costs) {
  return {.work = costs.worker_packet().mode() +
                  costs.worker_delivery().mode() + CopyNs(costs.worker_copy()),
          .notification = costs.interrupt_injection().mode(),
          .wakeup = costs.kick().mode() + costs.worker_wakeup().mode()};
}

RingExchange Exchange(const Platform& costs, int percent) {
  RingExchange exchange = {.producer = ProducerOf(costs),
                           .consumer = WorkerOf(costs),
                           .ring_size = kRingSize};
  exchange.consumer.work =
      std::max<int64_t>(exchange.producer.work * percent / 100, 1);
  return exchange;
}

// The simulation's time for an item in units of the closed form's.
double AgainstFastLaw(const RingExchange& exchange) {
  return SimulatedTimePerItem(exchange, kItems) /
         FastConsumerTime(exchange.producer, exchange.consumer);
}

double AgainstSlowLaw(const Platform& costs, bool late_wakeup) {
  RingExchange exchange = Exchange(costs, kSlowPercent);
  exchange.late_wakeup = late_wakeup;
  return SimulatedTimePerItem(exchange, kItems) /
         SlowConsumerTime(exchange.producer, exchange.consumer,
                          late_wakeup ? kRingSize * 3 / 4 : 1);
}

double AgainstPollingLaw(const Platform& costs) {
  const RingExchange exchange = {.producer = ProducerOf(costs),
                                 .consumer = WorkerOf(costs),
                                 .ring_size = kRingSize,
                                 .polls = true};
  return SimulatedTimePerItem(exchange, kItems) /
         static_cast<double>(
             std::max(exchange.producer.work, exchange.consumer.work));
}

// Throughput with a fast consumer in units of that with a slower one.
double GainOfSpeed(const Platform& costs) {
  return SimulatedTimePerItem(Exchange(costs, kFastPercent[0]), kItems) /
         SimulatedTimePerItem(Exchange(costs, 20), kItems);
}

std::vector<double> Predict(const Platform& costs) {
  std::vector<double> values;
  for (const int percent : kFastPercent) {
    values.push_back(AgainstFastLaw(Exchange(costs, percent)));
  }
  values.push_back(GainOfSpeed(costs));
  values.push_back(AgainstSlowLaw(costs, /*late_wakeup=*/false));
  values.push_back(AgainstSlowLaw(costs, /*late_wakeup=*/true));
  values.push_back(AgainstPollingLaw(costs));
  return values;
}

Claim Law(std::string name, std::string claim) {
  return {.name = std::move(name),
          .claim = std::move(claim),
          .published = "1, the law",
          .low = 0.999,
          .high = 1.001};
}

}  // namespace

Probe NotificationRegimes() {
  Probe probe = {
      .title =
          "Notification regimes on the real ring: time for an item over "
          "that of the closed form",
      .source =
          "Rizzo, Garzarella, Lettieri and Maffione, ANCS 2016; forms "
          "for deterministic times",
      .draws = 100,
      .bears_on = {Scenario::Flow::VSOCK},
      .predict = [](const Platform& costs, uint64_t) {
        return absl::StatusOr<std::vector<double>>(Predict(costs));
      }};
  for (const int percent : kFastPercent) {
    probe.claims.push_back(
        Law(absl::StrCat("fast_consumer_", percent),
            absl::StrCat("consumer's work ", percent, " % of producer's")));
  }
  probe.claims.push_back({.name = "faster_is_slower",
                          .claim = "throughput, work of 20 % over 95 %",
                          .published = "below 1",
                          .low = 0,
                          .high = 0.9999});
  probe.claims.push_back(
      Law("slow_consumer_first", "slow consumer, woken at 1 free slot"));
  probe.claims.push_back(
      Law("slow_consumer_late", "slow consumer, woken at 3/4 of the ring"));
  probe.claims.push_back(Law("both_poll", "both poll: the slower one's pace"));
  return probe;
}

}  // namespace sim
