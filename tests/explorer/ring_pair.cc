#include "tests/explorer/ring_pair.h"

#include <algorithm>
#include <memory>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "tests/explorer/device_program.h"
#include "tests/explorer/driver_program.h"
#include "virtqueue/check.h"

namespace virtqueue {
namespace {

constexpr HalfName kHalves[] = {HalfName::kDriver, HalfName::kDevice};

// Of one that polls: a stale value is as good for it as for any load.
constexpr std::memory_order kPolling = std::memory_order_relaxed;

bool HasSite(const Act& act) {
  return (act.kind == ActKind::kLoad || act.kind == ActKind::kStore) &&
         act.order != std::memory_order_relaxed;
}

}  // namespace

RingPair::RingPair(const Scene& scene, Behaviour::Nodes nodes)
    : stage_(scene),
      behaviours_{
          Behaviour(
              stage_.places(),
              [this] { return std::make_unique<DriverProgram>(stage_); },
              nodes),
          Behaviour(
              stage_.places(),
              [this] { return std::make_unique<DeviceProgram>(stage_); },
              nodes)} {}

void RingPair::Weaken(const std::optional<Weakened>& weakened) {
  weakened_ = weakened;
  withheld_.reset();
  if (!weakened || weakened->word.empty()) return;
  withheld_ = stage_.places().FindText(weakened->word);
  VSOCK_CHECK(withheld_.has_value());
}

RingPair::State RingPair::Begin(std::vector<Event>* events) {
  State state = {.node = {Behaviour::kRoot, Behaviour::kRoot},
                 .memory = ModelMemory(stage_.InitialValues())};
  for (const HalfName half : kHalves) DoPrivateActs(state, half, events);
  return state;
}

const Act& RingPair::Next(const State& state, HalfName half) const {
  return behaviour(half).turn(state.node[Index(half)]).act;
}

absl::InlinedVector<RingPair::Step, 4> RingPair::Steps(
    const State& state) const {
  absl::InlinedVector<Step, 4> steps;
  for (const HalfName half : kHalves) {
    const Act& act = Next(state, half);
    size_t choices = 1;
    if (act.kind == ActKind::kLoad) {
      choices =
          state.memory.Visible(half, act.place, OrderOf(half, act)).size();
    } else if (act.kind == ActKind::kSleep) {
      choices = state.notified[Index(half)] != 0 ? 1 : 0;
    } else if (act.kind == ActKind::kAwaitNews) {
      choices =
          state.memory.Visible(half, act.place, kPolling).size() > 1 ? 1 : 0;
    } else if (act.kind == ActKind::kDone || act.kind == ActKind::kFault) {
      choices = 0;
    }
    for (size_t i = 0; i < choices; ++i) {
      steps.push_back({.half = half, .choice = static_cast<uint8_t>(i)});
    }
  }
  return steps;
}

RingPair::State RingPair::Take(const State& state, Step step,
                               std::vector<Event>* events) {
  State after = state;
  const uint64_t answer = DoTurn(after, step, events);
  uint32_t& node = after.node[Index(step.half)];
  node = behaviour(step.half).Next(node, answer);
  DoPrivateActs(after, step.half, events);
  return after;
}

uint64_t RingPair::DoTurn(State& state, Step step, std::vector<Event>* events) {
  Event event = {.half = step.half,
                 .act = Next(state, step.half),
                 .spurious = step.spurious};
  Act& act = event.act;
  act.order = OrderOf(step.half, act);
  uint64_t answer = 0;
  const HalfName other = OtherHalf(step.half);
  if (act.kind == ActKind::kLoad) {
    answer = DoLoad(state, step, event);
  } else if (act.kind == ActKind::kStore) {
    state.memory.Store(step.half, act.place, act.value, act.order);
  } else if (act.kind == ActKind::kNotify) {
    state.notified[Index(other)] = state.memory.stores(step.half) + 1;
  } else if (act.kind == ActKind::kAwaitEnable) {
    state.notified[Index(step.half)] = 0;
  } else if (act.kind == ActKind::kSleep) {
    WakeUp(state, step);
  } else if (act.kind == ActKind::kAwaitNews) {
    state.memory.Load(step.half, act.place, {kPolling, 1});
  }
  if (events != nullptr) events->push_back(event);
  return answer;
}

uint64_t RingPair::DoLoad(State& state, Step step, Event& event) {
  const Act& act = event.act;
  const absl::Span<const ModelMemory::Stored> visible =
      state.memory.Visible(step.half, act.place, act.order);
  event.loaded = visible[step.choice];
  event.newest = visible.back();
  state.memory.Load(step.half, act.place,
                    {.order = act.order,
                     .choice = step.choice,
                     .withheld = WithheldBy(step.half, act, event.loaded)});
  return event.loaded.value;
}

void RingPair::WakeUp(State& state, Step step) {
  uint32_t& notified = state.notified[Index(step.half)];
  if (step.spurious) {
    ++state.spurious;
  } else {
    state.memory.Acquire(step.half, notified - 1);
    notified = 0;
  }
}

void RingPair::DoPrivateActs(State& state, HalfName half,
                             std::vector<Event>* events) {
  const Turn& turn = behaviour(half).turn(state.node[Index(half)]);
  for (const Act& act : turn.before) {
    const std::memory_order order = OrderOf(half, act);
    if (act.kind == ActKind::kStore) {
      state.memory.Store(half, act.place, act.value, order);
    }
    if (events == nullptr) continue;
    events->push_back({.half = half, .act = act});
    events->back().act.order = order;
  }
}

Site RingPair::SiteOf(HalfName half, const Act& act) const {
  return {.half = half,
          .kind = act.kind,
          .part = stage_.places().part(act.place),
          .order = act.order};
}

std::memory_order RingPair::OrderOf(HalfName half, const Act& act) const {
  const bool weaker = weakened_ && !withheld_ && HasSite(act) &&
                      SiteOf(half, act) == weakened_->site;
  return weaker ? weakened_->to : act.order;
}

std::optional<size_t> RingPair::WithheldBy(
    HalfName half, const Act& load, const ModelMemory::Stored& stored) const {
  if (!withheld_) return std::nullopt;
  const Act store = {.kind = ActKind::kStore,
                     .order = stored.seq_cst    ? std::memory_order_seq_cst
                              : stored.releases ? std::memory_order_release
                                                : std::memory_order_relaxed,
                     .place = load.place};
  const bool by_weakened = SiteOf(half, load) == weakened_->site ||
                           SiteOf(stored.half, store) == weakened_->site;
  return by_weakened ? withheld_ : std::nullopt;
}

std::vector<Site> RingPair::Sites() const {
  absl::btree_map<std::string, Site> sites;
  for (const HalfName half : kHalves) {
    const auto add = [&](const Act& act) {
      if (!HasSite(act)) return;
      const Site site = SiteOf(half, act);
      sites.emplace(site.name(), site);
    };
    for (uint32_t node = 0; node < nodes(half); ++node) {
      add(behaviour(half).turn(node).act);
      for (const Act& act : behaviour(half).turn(node).before) add(act);
    }
  }
  std::vector<Site> all;
  for (const auto& [name, site] : sites) all.push_back(site);
  return all;
}

}  // namespace virtqueue
