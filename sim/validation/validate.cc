#include "sim/validation/validate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sim/costs.h"
#include "sim/number_text.h"
#include "sim/platform_loader.h"
#include "sim/random.h"
#include "sim/threads.h"
#include "sim/validation/cost_draw.h"
#include "sim/validation/quantile.h"
#include "sim/validation/rank_correlation.h"
#include "sim/version.h"

namespace sim {
namespace {

// Below this a rank correlation of some tens of draws may be chance alone.
constexpr double kLeastCorrelation = 0.4;

// The draws of one probe.
struct Draws {
  std::vector<Platform> platforms;
  std::vector<std::vector<double>> values;  // by draw, then by claim
};

absl::StatusOr<Platform> PlatformOf(const Probe& probe,
                                    const ValidateOptions& options) {
  if (options.platform.has_value()) return *options.platform;
  const absl::StatusOr<std::string> path = PlatformFile(probe.platform, ".");
  if (!path.ok()) return path.status();
  return ReadPlatform(*path);
}

absl::StatusOr<Draws> DrawPlatforms(const Probe& probe,
                                    const ValidateOptions& options) {
  const absl::StatusOr<Platform> platform = PlatformOf(probe, options);
  if (!platform.ok()) return platform.status();
  Draws draws;
  draws.values.resize(probe.draws);
  const Random random = Random(options.seed).Fork("costs");
  for (uint32_t i = 0; i < probe.draws; ++i) {
    draws.platforms.push_back(
        probe.draws == 1 ? *platform
                         : DrawCosts(*platform, random.Fork(absl::StrCat(i))));
  }
  return draws;
}

// Hands out draws to threads.
class Work {
 public:
  Work(const std::vector<Probe>& probes, std::vector<Draws>& draws,
       const ValidateOptions& options, const std::atomic<bool>& stop)
      : probes_(probes), draws_(draws), options_(options), stop_(stop) {
    for (size_t p = 0; p < probes.size(); ++p) {
      for (uint32_t d = 0; d < probes[p].draws; ++d) items_.push_back({p, d});
    }
  }

  void Run() {
    for (;;) {
      const size_t index = next_.fetch_add(1);
      if (index >= items_.size() || stop_ || failed_) return;
      Keep(index, Predict(items_[index]));
    }
  }

  absl::Status status() const {
    if (failed_) return status_;
    return stop_ ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

 private:
  struct Item {
    size_t probe;
    uint32_t draw;
  };

  absl::StatusOr<std::vector<double>> Predict(const Item& item) const {
    const uint64_t seed =
        Random(options_.seed).Fork("runs").Fork(absl::StrCat(item.draw)).Next();
    return probes_[item.probe].predict(draws_[item.probe].platforms[item.draw],
                                       seed);
  }

  void Keep(size_t index, absl::StatusOr<std::vector<double>> values) {
    const Item& item = items_[index];
    const std::lock_guard<std::mutex> lock(mutex_);
    if (values.ok()) {
      draws_[item.probe].values[item.draw] = *std::move(values);
      options_.progress(++done_, static_cast<uint32_t>(items_.size()));
      return;
    }
    if (failed_ && index > failed_at_) return;
    failed_ = true;
    failed_at_ = index;
    status_ =
        absl::Status(values.status().code(),
                     absl::StrCat(probes_[item.probe].title, ", draw ",
                                  item.draw, ": ", values.status().message()));
  }

  const std::vector<Probe>& probes_;
  std::vector<Draws>& draws_;
  const ValidateOptions& options_;
  const std::atomic<bool>& stop_;
  std::vector<Item> items_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards what follows
  uint32_t done_ = 0;
  size_t failed_at_ = 0;
  absl::Status status_;
};

// The cost that the values follow most.
void AddCause(const Draws& draws, const std::vector<double>& values,
              ValidationRow& row) {
  double most = kLeastCorrelation;
  for (const std::string& name : CostNames()) {
    std::vector<double> drawn;
    for (const Platform& platform : draws.platforms) {
      drawn.push_back(CostOf(platform, name).mode());
    }
    const double correlation = RankCorrelation(drawn, values);
    if (std::abs(correlation) <= most) continue;
    most = std::abs(correlation);
    row.set_hangs_on(name);
    row.set_rank_correlation(Rounded(correlation));
  }
}

ValidationRow::Verdict Judge(const Claim& claim, double low, double high) {
  if (claim.high < low || claim.low > high) return ValidationRow::MISSES;
  return claim.derived ? ValidationRow::DERIVED : ValidationRow::INSIDE;
}

ValidationRow RowOf(const Probe& probe, size_t index, const Draws& draws) {
  const Claim& claim = probe.claims[index];
  std::vector<double> values;
  for (const std::vector<double>& of_draw : draws.values) {
    values.push_back(of_draw[index]);
  }
  ValidationRow row;
  row.set_name(claim.name);
  row.set_claim(claim.claim);
  row.set_source(probe.source);
  row.set_published(claim.published);
  row.set_published_low(Rounded(claim.low));
  row.set_published_high(Rounded(claim.high));
  row.set_draws(probe.draws);
  for (const Scenario::Flow::Transport transport : probe.bears_on) {
    row.add_bears_on(transport);
  }
  if (std::isnan(values[0])) {
    row.set_verdict(ValidationRow::WAITS);
    row.set_note(claim.note);
    return row;
  }
  row.set_median(Rounded(Quantile(values, 0.5)));
  row.set_low(Rounded(Quantile(values, 0.05)));
  row.set_high(Rounded(Quantile(values, 0.95)));
  row.set_verdict(Judge(claim, row.low(), row.high()));
  if (row.verdict() == ValidationRow::MISSES) row.set_note(claim.note);
  if (probe.draws > 1) AddCause(draws, values, row);
  return row;
}

}  // namespace

absl::StatusOr<ValidationTable> Validate(const std::vector<Probe>& probes,
                                         const ValidateOptions& options,
                                         const std::atomic<bool>& stop) {
  std::vector<Draws> all;
  for (const Probe& probe : probes) {
    absl::StatusOr<Draws> draws = DrawPlatforms(probe, options);
    if (!draws.ok()) return draws.status();
    all.push_back(*std::move(draws));
  }
  Work work(probes, all, options, stop);
  WorkOnThreads(options.jobs, [&work] { work.Run(); });
  if (!work.status().ok()) return work.status();
  ValidationTable table;
  table.set_version(kVersion);
  table.set_seed(options.seed);
  for (size_t p = 0; p < probes.size(); ++p) {
    for (size_t i = 0; i < probes[p].claims.size(); ++i) {
      *table.add_row() = RowOf(probes[p], i, all[p]);
    }
  }
  return table;
}

}  // namespace sim
