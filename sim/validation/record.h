// record.h: the validation table as last recorded, for reports to quote.

#ifndef SIM_VALIDATION_RECORD_H_
#define SIM_VALIDATION_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "sim/scenario.pb.h"
#include "sim/validation/validation.pb.h"

namespace sim {

// Protobuf text.
std::string RecordText(const ValidationTable& table);

// What RecordText wrote into the project.
absl::StatusOr<ValidationTable> ReadRecord();

// Which rows bear on answers about the scenario's flows, and how they came out.
std::string BearingText(const ValidationTable& table, const Scenario& scenario);

}  // namespace sim

#endif  // SIM_VALIDATION_RECORD_H_
