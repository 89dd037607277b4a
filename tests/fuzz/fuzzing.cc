#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/script.h"

namespace fuzz {
namespace {

absl::string_view AsText(absl::Span<const uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// What is no script counts as one of no calls.
Script ScriptOf(const Target& target, absl::Span<const uint8_t> input) {
  absl::StatusOr<Script> script = ParseScript(target.grammar, AsText(input));
  return script.ok() ? *std::move(script) : Script();
}

// As many lines as there is room for.
size_t Print(const Target& target, Script script, absl::Span<uint8_t> out) {
  std::string text = PrintScript(target.grammar, script);
  while (text.size() > out.size() && !script.calls.empty()) {
    script.calls.pop_back();
    text = PrintScript(target.grammar, script);
  }
  const size_t size = std::min(text.size(), out.size());
  std::copy_n(text.begin(), size, out.begin());
  return size;
}

Outcome RunTwice(const Target& target, const Script& script) {
  Outcome first = target.run(script);
  const Outcome second = target.run(script);
  if (first.trace == second.trace) return first;
  first.Demand(false, "the same happens each time");
  absl::StrAppend(&first.trace, "and the second time:\n", second.trace);
  return first;
}

}  // namespace

Outcome RunText(const Target& target, absl::string_view text) {
  const absl::StatusOr<Script> script = ParseScript(target.grammar, text);
  if (script.ok()) return RunTwice(target, *script);
  Outcome outcome;
  outcome.Demand(false, script.status().message());
  return outcome;
}

void TryInput(const Target& target, absl::Span<const uint8_t> input) {
  const absl::StatusOr<Script> script =
      ParseScript(target.grammar, AsText(input));
  if (!script.ok()) return;
  const Outcome outcome = RunTwice(target, *script);
  if (outcome.fault.empty()) return;
  std::fprintf(stderr, "%sFAULT: %s\n", outcome.trace.c_str(),
               outcome.fault.c_str());
  std::abort();
}

size_t MutateInput(const Target& target, absl::Span<uint8_t> data, size_t size,
                   uint32_t seed) {
  Script script = ScriptOf(target, data.first(size));
  Mutator(target.grammar, seed).Mutate(script);
  return Print(target, std::move(script), data);
}

size_t CrossInputs(const Target& target, absl::Span<const uint8_t> a,
                   absl::Span<const uint8_t> b, absl::Span<uint8_t> out,
                   uint32_t seed) {
  Script script = ScriptOf(target, a);
  Mutator(target.grammar, seed).Cross(script, ScriptOf(target, b));
  return Print(target, std::move(script), out);
}

}  // namespace fuzz
