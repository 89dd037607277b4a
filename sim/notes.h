// notes.h: what a reader of a scenario might overlook.

#ifndef SIM_NOTES_H_
#define SIM_NOTES_H_

#include <string>
#include <vector>

#include "sim/scenario.pb.h"

namespace sim {

// Lawful values that do something else than they seem to: buffers that the
// kernel clamps, datagrams that cannot arrive whole. `scenario` has its
// defaults filled in.
std::vector<std::string> ScenarioNotes(const Scenario& scenario);

}  // namespace sim

#endif  // SIM_NOTES_H_
