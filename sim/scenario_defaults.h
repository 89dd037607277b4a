// scenario_defaults.h: a scenario that says everything.
//
// Programs, reports and result files use the filled-in form, so nobody has to
// know a default but this file and the schema.

#ifndef SIM_SCENARIO_DEFAULTS_H_
#define SIM_SCENARIO_DEFAULTS_H_

#include "sim/scenario.pb.h"

namespace sim {

// Sets every field that is absent and has a default. What is required stays
// absent. Doing it twice changes nothing.
void FillDefaults(Scenario& scenario);

}  // namespace sim

#endif  // SIM_SCENARIO_DEFAULTS_H_
