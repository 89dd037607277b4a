// mutator.h: changes scripts, so that most of what comes out is still worth
// running: numbers near the edges, lines doubled, moved, dropped and new.

#ifndef TESTS_FUZZ_MUTATOR_H_
#define TESTS_FUZZ_MUTATOR_H_

#include <cstdint>
#include <initializer_list>
#include <random>

#include "tests/fuzz/script.h"

namespace fuzz {

class Mutator {
 public:
  // The same seed makes the same changes.
  Mutator(Grammar grammar, uint32_t seed) : grammar_(grammar), random_(seed) {}

  // Changes `script` in one place or a few.
  void Mutate(Script& script);

  // Some lines of `from`, between those of `script`.
  void Cross(Script& script, const Script& from);

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  uint64_t AnyOf(std::initializer_list<uint64_t> values);

  void MutateOnce(Script& script);
  void ChangeQueue(QueueSpec& queue);
  void ChangeArg(const QueueSpec& queue, Call& call);
  void InsertSome(Script& script);
  void Repeat(Script& script);

  Call NewCall(const QueueSpec& queue);
  uint64_t NewArg(const QueueSpec& queue, ArgKind kind);
  uint64_t NewWord(const QueueSpec& queue);
  uint64_t NewFlags();
  uint64_t NewLen();
  uint64_t NewAddr(const QueueSpec& queue);

  const Grammar grammar_;
  std::mt19937 random_;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_MUTATOR_H_
