// report_csv.h: a row for each flow and replicate.
//
// The first columns are the full key: every parameter of scenario and flow, by
// its name there (empty where it does not apply), and the flows beside it, so
// that rows of several files can be told apart and paired. Then the run's
// numbers, by the names of sim/metric.h, and the command that makes the row
// again.

#ifndef SIM_REPORT_CSV_H_
#define SIM_REPORT_CSV_H_

#include <string>

#include "sim/result.pb.h"

namespace sim {

// RFC 4180 with plain newlines. Columns do not depend on the scenario.
std::string ReportCsv(const ScenarioResult& result);

}  // namespace sim

#endif  // SIM_REPORT_CSV_H_
