// report.h: what was explored and what was found, as text for people.

#ifndef TESTS_EXPLORER_REPORT_H_
#define TESTS_EXPLORER_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/explorer/explorer.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"

namespace virtqueue {

struct Report {
  Explorer::Outcome outcome = Explorer::Outcome::kSound;
  std::string text;
};

// Explores `scene`, with that site weakened. The report is the shortest
// schedule to what was found, or how much was explored in vain. Gives up beyond
// so many states.
Report Explore(const Scene& scene, const std::optional<Weakened>& weakened,
               uint64_t most_states);

// The same with as few buffers as show something, up to scene.buffers.
Report ExploreFewest(Scene scene, const std::optional<Weakened>& weakened,
                     uint64_t most_states);

// A line for each order that any site may be weakened to.
std::string ExploreEach(const Scene& scene, uint64_t most_states);

// The sites that the halves come by in any order of `scene`.
std::vector<Site> SitesOf(const Scene& scene, uint64_t most_states);

// The words that the halves share in `scene`, for Weakened.
std::vector<std::string> WordsOf(const Scene& scene);

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_REPORT_H_
