// watched_word.h: the word below the rings when they are fuzzed.
//
// It has the interface of std::atomic_ref, and virtqueue/shared_word.h takes it
// instead of that in what explored_library builds. It is plain memory, of one
// thread; a Watcher that is installed is told before each access.

#ifndef TESTS_FUZZ_WATCHED_WORD_H_
#define TESTS_FUZZ_WATCHED_WORD_H_

#include <atomic>
#include <cstddef>

namespace virtqueue {

class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void BeforeAccess(const void* word, size_t bytes) = 0;

  // Who is told from now on; nullptr: nobody.
  static void Install(Watcher* watcher) { installed_ = watcher; }

  static void Tell(const void* word, size_t bytes) {
    if (installed_ != nullptr) installed_->BeforeAccess(word, bytes);
  }

 private:
  inline static Watcher* installed_ = nullptr;
};

template <typename T>
class SharedWord {
 public:
  static constexpr size_t required_alignment = sizeof(T);

  explicit SharedWord(T& word) : word_(word) {}

  T load(std::memory_order) const {
    Watcher::Tell(&word_, sizeof(T));
    return word_;
  }

  void store(T value, std::memory_order) const {
    Watcher::Tell(&word_, sizeof(T));
    word_ = value;
  }

 private:
  T& word_;
};

}  // namespace virtqueue

#endif  // TESTS_FUZZ_WATCHED_WORD_H_
