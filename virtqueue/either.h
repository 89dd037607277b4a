// either.h: a value of one of two types, and calls on it by one branch.
//
// A std::variant of two, without std::visit, whose table of functions could not
// be inlined.

#ifndef VIRTQUEUE_EITHER_H_
#define VIRTQUEUE_EITHER_H_

#include <utility>
#include <variant>

#include "absl/base/attributes.h"

namespace virtqueue {

template <typename First, typename Second>
class Either {
 public:
  explicit Either(First first) : value_(std::move(first)) {}
  explicit Either(Second second) : value_(std::move(second)) {}

  // What `call` returns for the value, whichever it is.
  template <typename Call>
  ABSL_ATTRIBUTE_ALWAYS_INLINE decltype(auto) On(Call call) {
    if (auto* first = std::get_if<First>(&value_)) return call(*first);
    return call(*std::get_if<Second>(&value_));
  }
  template <typename Call>
  ABSL_ATTRIBUTE_ALWAYS_INLINE decltype(auto) On(Call call) const {
    if (const auto* first = std::get_if<First>(&value_)) return call(*first);
    return call(*std::get_if<Second>(&value_));
  }

 private:
  std::variant<First, Second> value_;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_EITHER_H_
