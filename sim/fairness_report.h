// fairness_report.h: the fairness experiment beside the mail it answers.
//
// The report of sim/report_text.h, with the mail's own figures, marked as
// published, and a last paragraph that says what follows for them.

#ifndef SIM_FAIRNESS_REPORT_H_
#define SIM_FAIRNESS_REPORT_H_

#include <string>

#include "sim/result.pb.h"

namespace sim {

// Comes after ReportHead.
std::string FairnessBody(const ScenarioResult& result);

}  // namespace sim

#endif  // SIM_FAIRNESS_REPORT_H_
