// intruder.h: counts what a call does to shared memory, and changes memory in
// the middle of it: what a hostile peer on another processor may do.

#ifndef TESTS_FUZZ_INTRUDER_H_
#define TESTS_FUZZ_INTRUDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tests/fuzz/arena.h"
#include "tests/fuzz/watched_word.h"

namespace fuzz {

class Intruder final : public virtqueue::Watcher {
 public:
  explicit Intruder(Arena& arena) : arena_(arena) {}
  ~Intruder() override { Install(nullptr); }

  // Before that access of the next call, counted from 0, `word` is written. A
  // call of fewer accesses comes to an end without.
  void Plan(uint64_t access, const Word& word) {
    at_ = access;
    word_ = word;
  }
  bool planned() const { return word_.has_value(); }

  // Does `call`, and watches it.
  template <typename Call>
  auto Watch(Call call) {
    struct End {
      Intruder& intruder;
      ~End() {
        Install(nullptr);
        intruder.word_.reset();
      }
    };
    accesses_ = 0;
    struck_ = false;
    Install(this);
    const End end{*this};
    return call();
  }

  // Of the last call that was watched.
  uint64_t accesses() const { return accesses_; }
  bool struck() const { return struck_; }  // Memory was changed.

  void BeforeAccess(const void*, size_t) override {
    if (accesses_++ != at_ || !word_) return;
    arena_.WriteUnnoticed(*word_);
    struck_ = true;
  }

 private:
  Arena& arena_;
  std::optional<Word> word_;
  uint64_t at_ = 0;
  uint64_t accesses_ = 0;
  bool struck_ = false;
};

}  // namespace fuzz

#endif  // TESTS_FUZZ_INTRUDER_H_
