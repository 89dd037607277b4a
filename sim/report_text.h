// report_text.h: a result for people, within 100 columns.
//
// The head is printed before the runs, the body after them; every report ends
// with the command that makes it again, and then with what bears on it
// (sim/validation/record.h).

#ifndef SIM_REPORT_TEXT_H_
#define SIM_REPORT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "sim/result.pb.h"

namespace sim {

// What is asked, of what, and in which units.
std::string ReportHead(const Scenario& scenario, const Platform& platform);

// Tables, comparisons, expectations and, for each comparison, what follows.
std::string ReportBody(const ScenarioResult& result);

// The parts of the body, for reports that add their own.
std::string IncompleteText(const ScenarioResult& result);
std::string ExpectationsText(const ScenarioResult& result);
std::string ReplayText(const ScenarioResult& result);

// `text` broken into lines of at most 100 columns.
std::string Wrap(absl::string_view text);

}  // namespace sim

#endif  // SIM_REPORT_TEXT_H_
