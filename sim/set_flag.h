// set_flag.h: --set path=value, on any field of a scenario.
//
// A path is field names joined by dots. An element of a list is named by its
// number or its `name` field: flow[0].count, flow[lone].count and
// flow.lone.count; a list of one needs no name. A value is written as in a
// text file; strings need no quotes; a list or a message is replaced whole. The
// name of an enumerator, given to a message, goes to its field that knows it:
//   guest.ring.size=256
//   flow.pool.receiver.behaviour=SLOW
//   arm.alone.flow=["lone"]
//   guest.ring=PACKED
// Trust: what a user typed. Errors name the path and offer near names.

#ifndef SIM_SET_FLAG_H_
#define SIM_SET_FLAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace sim {

// Applies "path=value" to `message`; returns the path with every element of a
// list named by its number, as TextSource::NoteOverride wants it.
absl::StatusOr<std::string> ApplySet(absl::string_view assignment,
                                     google::protobuf::Message& message);

}  // namespace sim

#endif  // SIM_SET_FLAG_H_
