#include "sim/work_pool.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/cost_model.h"
#include "virtqueue/check.h"
#include "vsock/work.h"

namespace sim {

using vsock::Instant;
using vsock::Nanos;

class WorkPool::Worker final : public Task {
 public:
  Worker(WorkPool& pool, const std::string& name)
      : pool_(pool), chance_(pool.machines_.ChanceOf(name)) {}

  std::optional<Nanos> Run(Instant now) override {
    Nanos burst(0);
    if (Account* done = std::exchange(current_, nullptr)) {
      burst = pool_.Finish(*done, chance_);
    }
    Nanos work(0);
    if (!pool_.queue_.empty()) {
      work = pool_.queue_.front().work;
      current_ = pool_.queue_.front().account;
      pool_.queue_.pop_front();
    } else if (burst == Nanos(0)) {
      return std::nullopt;
    }
    burst = burst + work;
    pool_.options_.book->SenderBusy(now, burst, work);
    return burst;
  }

  Chance& chance() { return chance_; }

 private:
  WorkPool& pool_;
  Chance chance_;
  Account* current_ = nullptr;  // whose reply it works on
};

Nanos WorkPool::Account::HandOver(Nanos work, Chance& chance) {
  ++outstanding_;
  pool_.queue_.push_back({this, work});
  return pool_.WakeWorker(chance);
}

void WorkPool::Account::Sleep(Task& task, Chance& chance) {
  VSOCK_CHECK(outstanding_ > 0);  // or nobody would wake it
  sleeper_ = &task;
  sleepers_chance_ = &chance;
}

WorkPool::WorkPool(Machines& machines, Options options)
    : machines_(machines), options_(std::move(options)) {
  VSOCK_CHECK(options_.threads > 0);
  for (uint32_t i = 0; i < options_.threads; ++i) {
    workers_.push_back(
        std::make_unique<Worker>(*this, absl::StrCat(options_.name, ".", i)));
  }
}

WorkPool::~WorkPool() = default;

Nanos WorkPool::WakeWorker(Chance& chance) {
  for (const auto& worker : workers_) {
    if (!worker->asleep()) continue;
    machines_.Wake(options_.side, *worker, worker->chance());
    return PriceOfWaking(chance);
  }
  return Nanos(0);
}

Nanos WorkPool::Finish(Account& account, Chance& chance) {
  --account.outstanding_;
  Task* sleeper = std::exchange(account.sleeper_, nullptr);
  if (sleeper == nullptr) return Nanos(0);
  machines_.Wake(options_.side, *sleeper, *account.sleepers_chance_);
  return PriceOfWaking(chance);
}

Nanos WorkPool::PriceOfWaking(Chance& chance) const {
  return machines_.costs().Price(Step::kApplicationCall,
                                 {.wakeups = 1, .syscalls = 1},
                                 chance.CostFactor());
}

}  // namespace sim
