// arm_table.h: the arms side by side: what each flow got and what it cost.
//
// Figures are means over the replicates, of the measured window.

#ifndef SIM_ARM_TABLE_H_
#define SIM_ARM_TABLE_H_

#include <string>

#include "sim/result.pb.h"

namespace sim {

// One table for each three arms.
std::string ArmTables(const ScenarioResult& result);

}  // namespace sim

#endif  // SIM_ARM_TABLE_H_
