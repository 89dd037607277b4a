// scripted_task.h: a task that does what it is told and writes down when.

#ifndef TESTS_SIM_SCRIPTED_TASK_H_
#define TESTS_SIM_SCRIPTED_TASK_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/actor.h"
#include "sim/event_loop.h"
#include "sim/task.h"
#include "vsock/units.h"

namespace sim {

// One call of Run(): whose, and when.
struct Ran {
  std::string name;
  int64_t at = 0;
  friend bool operator==(const Ran&, const Ran&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Ran& ran) {
    return out << ran.name << "@" << ran.at;
  }
};
using Runs = std::vector<Ran>;

// Each call of Run() begins the next burst of the script; at its end, or where
// the script says so with kBlock, the task blocks.
class ScriptedTask final : public Task {
 public:
  static constexpr int64_t kBlock = -1;

  ScriptedTask(Runs& runs, std::string name, std::deque<int64_t> script)
      : runs_(runs), name_(std::move(name)), script_(std::move(script)) {}

  std::optional<vsock::Nanos> Run(vsock::Instant now) override {
    runs_.push_back({name_, now.value()});
    if (during_run_) during_run_();
    if (script_.empty()) return std::nullopt;
    const int64_t burst = script_.front();
    script_.pop_front();
    if (burst == kBlock) return std::nullopt;
    return vsock::Nanos(burst);
  }

  void DuringRun(std::function<void()> action) {
    during_run_ = std::move(action);
  }

 private:
  Runs& runs_;
  const std::string name_;
  std::deque<int64_t> script_;
  std::function<void()> during_run_;
};

// Does things at instants given beforehand.
class Agenda final : public Actor {
 public:
  explicit Agenda(EventLoop& loop) : Actor(loop, "agenda") {}

  // In the order of time.
  void Add(int64_t at, std::function<void()> action) {
    items_.emplace_back(at, std::move(action));
    if (items_.size() == 1) WakeAt(vsock::Instant(at));
  }

  void OnWake(vsock::Instant now) override {
    while (!items_.empty() && items_.front().first == now.value()) {
      const auto action = std::move(items_.front().second);
      items_.pop_front();
      action();
    }
    if (!items_.empty()) WakeAt(vsock::Instant(items_.front().first));
  }

 private:
  std::deque<std::pair<int64_t, std::function<void()>>> items_;
};

}  // namespace sim

#endif  // TESTS_SIM_SCRIPTED_TASK_H_
