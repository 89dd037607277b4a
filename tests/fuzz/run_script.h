// run_script.h: puts a harness through a script.
//
// A harness is made from a QueueSpec, has a member function for each verb of
// its grammar, CheckState() for after each, and notes all in `outcome`.

#ifndef TESTS_FUZZ_RUN_SCRIPT_H_
#define TESTS_FUZZ_RUN_SCRIPT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tests/fuzz/outcome.h"
#include "tests/fuzz/script.h"

namespace fuzz {

template <typename Harness>
struct Verb {
  CallSpec spec;
  void (Harness::*run)(const Args&);
};

template <typename Harness>
Target MakeTarget(absl::string_view name,
                  const std::vector<Verb<Harness>>& verbs,
                  Outcome (*run)(const Script&)) {
  static const auto* const grammar = [&] {
    auto* const specs = new std::vector<CallSpec>();
    for (const Verb<Harness>& verb : verbs) specs->push_back(verb.spec);
    return specs;
  }();
  return {.name = name, .grammar = *grammar, .run = run};
}

// Stops at the first fault.
template <typename Harness>
Outcome RunScript(Grammar grammar, const std::vector<Verb<Harness>>& verbs,
                  const Script& script) {
  Harness harness(script.queue);
  for (const Call& call : script.calls) {
    const Verb<Harness>& verb = verbs[call.spec];
    if (!verb.spec.IsFor(script.queue.format)) continue;
    harness.outcome.Begin(PrintCall(grammar, call));
    (harness.*verb.run)(call.args);
    harness.CheckState();
    if (!harness.outcome.fault.empty()) break;
  }
  return harness.outcome;
}

}  // namespace fuzz

#endif  // TESTS_FUZZ_RUN_SCRIPT_H_
