// id.h: numbers that mean something are types.
//
// An Id has no implicit way in and one explicit way out, value(); ids of
// different tags neither compare nor convert.

#ifndef VIRTQUEUE_ID_H_
#define VIRTQUEUE_ID_H_

#include <compare>
#include <ostream>
#include <utility>

namespace virtqueue {

template <typename Tag, typename Rep>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;

  template <typename H>
  friend H AbslHashValue(H state, Id id) {
    return H::combine(std::move(state), id.value_);
  }

  friend std::ostream& operator<<(std::ostream& out, Id id) {
    return out << id.value_;
  }

 private:
  Rep value_ = 0;
};

}  // namespace virtqueue

#endif  // VIRTQUEUE_ID_H_
