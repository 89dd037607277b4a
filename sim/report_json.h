// report_json.h: a result for machines.
//
// protobuf's own JSON with the names of sim/result.proto. As that mapping has
// it, 64-bit integers are strings; all other numbers are numbers. Equal results
// give equal bytes.

#ifndef SIM_REPORT_JSON_H_
#define SIM_REPORT_JSON_H_

#include <string>

#include "google/protobuf/message.h"
#include "sim/result.pb.h"

namespace sim {

// Ends with a newline.
// Any message, with the names of its schema.
std::string MessageJson(const google::protobuf::Message& message);

std::string ReportJson(const ScenarioResult& result);

}  // namespace sim

#endif  // SIM_REPORT_JSON_H_
