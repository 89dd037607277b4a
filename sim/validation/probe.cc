#include "sim/validation/probe.h"

#include <utility>

namespace sim {

Claim RoundedClaim(std::string name, std::string claim, std::string published,
                   double value, double last_digit, std::string note) {
  return {.name = std::move(name),
          .claim = std::move(claim),
          .published = std::move(published),
          .low = value - last_digit / 2,
          .high = value + last_digit / 2,
          .note = std::move(note)};
}

}  // namespace sim
