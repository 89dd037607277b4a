// problems.h: what is wrong with a text file, each with its place.

#ifndef SIM_PROBLEMS_H_
#define SIM_PROBLEMS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "sim/text_message.h"

namespace sim {

class Problems {
 public:
  // `type` is the message at the root of `source`. Both outlive this object.
  Problems(const TextSource& source, const google::protobuf::Descriptor& type);

  // The value at `path`, or its absence, is wrong.
  void Add(absl::string_view path, absl::string_view what);

  bool none() const { return lines_.empty(); }

  // OK, or one line for each problem: "file:line:column: path: what".
  absl::Status ToStatus() const;

 private:
  const TextSource& source_;
  const google::protobuf::Descriptor& type_;
  std::vector<std::string> lines_;
};

}  // namespace sim

#endif  // SIM_PROBLEMS_H_
