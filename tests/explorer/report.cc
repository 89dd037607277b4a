#include "tests/explorer/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "tests/explorer/ring_pair.h"
#include "tests/explorer/schedule_text.h"
#include "tests/explorer/stage.h"
#include "virtqueue/check.h"

namespace virtqueue {
namespace {

using Outcome = Explorer::Outcome;

absl::string_view OutcomeText(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSound:
      return "nothing is lost, and nothing is read but what was written";
    case Outcome::kLost:
      return "a notification is lost";
    case Outcome::kFault:
      return "what was not written yet is read";
    case Outcome::kUndecided:
      return "undecided: more states than --states";
  }
  VSOCK_CHECK(false);
}

std::string CountsText(const Explorer::Result& result) {
  return absl::StrFormat(
      "%d states, %d steps between them, %.3g schedules of at most %d steps\n",
      result.states, result.steps, result.schedules, result.longest);
}

}  // namespace

Report Explore(const Scene& scene, const std::optional<Weakened>& weakened,
               uint64_t most_states) {
  RingPair pair(scene);
  pair.Weaken(weakened);
  const Explorer::Result result = Explorer(pair, most_states).Run();
  Report report = {result.outcome, absl::StrCat(SceneText(scene), "\n")};
  if (weakened) absl::StrAppend(&report.text, "with ", weakened->text(), "\n");
  absl::StrAppend(&report.text, OutcomeText(result.outcome), "\n");
  if (result.schedule.empty()) {
    report.text += CountsText(result);
  } else {
    absl::StrAppend(&report.text, "\n", ScheduleText(pair, result.schedule));
  }
  return report;
}

Report ExploreFewest(Scene scene, const std::optional<Weakened>& weakened,
                     uint64_t most_states) {
  const uint16_t most = scene.buffers;
  for (scene.buffers = 1; scene.buffers < most; ++scene.buffers) {
    Report report = Explore(scene, weakened, most_states);
    if (report.outcome != Outcome::kSound) return report;
  }
  return Explore(scene, weakened, most_states);
}

std::string ExploreEach(const Scene& scene, uint64_t most_states) {
  std::string text =
      absl::StrCat(Explore(scene, std::nullopt, most_states).text, "\n");
  for (const Site& site : SitesOf(scene, most_states)) {
    for (const std::memory_order order : site.Weaker()) {
      const Weakened weakened = {site, order};
      const Report report = ExploreFewest(scene, weakened, most_states);
      absl::StrAppendFormat(&text, "%-45s %s\n", weakened.text(),
                            OutcomeText(report.outcome));
    }
  }
  return text;
}

std::vector<Site> SitesOf(const Scene& scene, uint64_t most_states) {
  RingPair pair(scene);
  Explorer(pair, most_states).Run();
  return pair.Sites();
}

std::vector<std::string> WordsOf(const Scene& scene) {
  const Stage stage(scene);
  std::vector<std::string> words;
  for (size_t place = 0; place < stage.places().size(); ++place) {
    words.push_back(stage.places().Text(place));
  }
  return words;
}

}  // namespace virtqueue
