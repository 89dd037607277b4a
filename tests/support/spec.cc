#include "tests/support/spec.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace {

absl::string_view Words(Level level) {
  switch (level) {
    case Level::kMust:
      return "MUST";
    case Level::kMustNot:
      return "MUST NOT";
    case Level::kShould:
      return "SHOULD";
    case Level::kShouldNot:
      return "SHOULD NOT";
    case Level::kMay:
      return "MAY";
  }
  return "";
}

}  // namespace

void Spec(absl::string_view version, absl::string_view clause, Level level) {
  testing::Test::RecordProperty(absl::StrCat("virtio ", version, " ", clause),
                                std::string(Words(level)));
}
