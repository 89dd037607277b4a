// outcome.h: what came of a script.

#ifndef TESTS_FUZZ_OUTCOME_H_
#define TESTS_FUZZ_OUTCOME_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/fuzz/script.h"

namespace fuzz {

struct Outcome {
  std::string trace;  // each call, and what it did
  std::string fault;  // the first rule that did not hold; empty if all did

  // Notes a call, and what it did.
  void Begin(absl::string_view call) { absl::StrAppend(&trace, call, "\n"); }
  template <typename... Parts>
  void Say(const Parts&... parts) {
    absl::StrAppend(&trace, "    ", parts..., "\n");
  }

  void Demand(bool holds, absl::string_view rule) {
    if (!holds && fault.empty()) fault = std::string(rule);
  }
  // The fault of a broken queue has to begin with the number of a clause.
  void DemandClause(const absl::Status& status) {
    const absl::string_view text = status.message();
    Demand(absl::StartsWith(text, "2.") && absl::StrContains(text, ": "),
           "a broken queue names a clause");
  }
};

struct Target {  // what a script can be run on
  absl::string_view name;
  Grammar grammar;
  Outcome (*run)(const Script& script);
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_OUTCOME_H_
