// version.h: which model made a result.

#ifndef SIM_VERSION_H_
#define SIM_VERSION_H_

namespace sim {

// Goes up whenever the same scenario and seed may give other figures.
inline constexpr char kVersion[] = "0.2.0";

}  // namespace sim

#endif  // SIM_VERSION_H_
