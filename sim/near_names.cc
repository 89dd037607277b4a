#include "sim/near_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace sim {
namespace {

constexpr size_t kMostNames = 3;

// duration_ms and duration_us: the same thing in another unit.
bool DifferOnlyInUnit(absl::string_view a, absl::string_view b) {
  const size_t end_a = a.rfind('_');
  const size_t end_b = b.rfind('_');
  return end_a != absl::string_view::npos && end_b != absl::string_view::npos &&
         a.substr(0, end_a) == b.substr(0, end_b);
}

bool IsNear(absl::string_view name, absl::string_view known) {
  const int most = name.size() < 4 ? 1 : static_cast<int>(name.size()) / 3;
  return EditDistance(name, known) <= most || DifferOnlyInUnit(name, known) ||
         (name.size() >= 4 && absl::StartsWith(known, name)) ||
         (known.size() >= 4 && absl::StartsWith(name, known));
}

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const int replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replace});
    }
  }
  return row[b.size()];
}

std::string NearNames(absl::string_view name,
                      const std::vector<std::string>& known) {
  if (known.empty()) return "";
  std::vector<std::string> near;
  for (const std::string& candidate : known) {
    if (IsNear(name, candidate)) near.push_back(candidate);
  }
  if (near.empty()) {
    return absl::StrCat("; there are: ", absl::StrJoin(known, ", "));
  }
  std::stable_sort(near.begin(), near.end(),
                   [name](const std::string& a, const std::string& b) {
                     return EditDistance(name, a) < EditDistance(name, b);
                   });
  near.resize(std::min(near.size(), kMostNames));
  return absl::StrCat("; did you mean ", absl::StrJoin(near, " or "), "?");
}

}  // namespace sim
