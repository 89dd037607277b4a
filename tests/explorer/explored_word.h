// explored_word.h: the word below the rings when they are explored.
//
// It has the interface of std::atomic_ref, and virtqueue/shared_word.h takes it
// instead of that in what tests/explorer/explored.bzl builds. While a Witness
// is installed, it answers each load and is told of each store; memory is not
// touched. Else a word is plain memory, of one thread.

#ifndef TESTS_EXPLORER_EXPLORED_WORD_H_
#define TESTS_EXPLORER_EXPLORED_WORD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace virtqueue {

class Witness {
 public:
  virtual ~Witness() = default;
  virtual uint64_t OnLoad(const void* word, std::memory_order order) = 0;
  virtual void OnStore(const void* word, uint64_t value,
                       std::memory_order order) = 0;

  // Who answers from now on; nullptr: nobody.
  static void Install(Witness* witness) { installed_ = witness; }
  static Witness* installed() { return installed_; }

 private:
  inline static Witness* installed_ = nullptr;
};

template <typename T>
class SharedWord {
 public:
  static constexpr size_t required_alignment = sizeof(T);

  explicit SharedWord(T& word) : word_(word) {}

  T load(std::memory_order order) const {
    if (Witness::installed() == nullptr) return word_;
    return static_cast<T>(Witness::installed()->OnLoad(&word_, order));
  }

  void store(T value, std::memory_order order) const {
    if (Witness::installed() == nullptr) {
      word_ = value;
    } else {
      Witness::installed()->OnStore(&word_, value, order);
    }
  }

 private:
  T& word_;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_EXPLORED_WORD_H_
