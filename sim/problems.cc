#include "sim/problems.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "sim/text_message.h"

namespace sim {

Problems::Problems(const TextSource& source,
                   const google::protobuf::Descriptor& type)
    : source_(source), type_(type) {}

void Problems::Add(absl::string_view path, absl::string_view what) {
  lines_.push_back(
      absl::StrCat(source_.Where(type_, path), ": ", path, ": ", what));
}

absl::Status Problems::ToStatus() const {
  if (none()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(lines_, "\n"));
}

}  // namespace sim
