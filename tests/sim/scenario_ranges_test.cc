#include "sim/scenario_ranges.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "sim/scenario.pb.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

bool IsWholeNumber(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

// The paths of all whole numbers in the schema.
void Collect(const Descriptor& type, const std::string& prefix,
             std::multiset<std::string>& paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string path = absl::StrCat(prefix, field.name());
    if (field.message_type() != nullptr) {
      Collect(*field.message_type(), path + ".", paths);
    } else if (IsWholeNumber(field)) {
      paths.insert(path);
    }
  }
}

TEST(ScenarioRangesTest, KnowsEveryWholeNumberOfTheSchemaOnce) {
  std::multiset<std::string> in_schema;
  Collect(*Scenario::descriptor(), "", in_schema);

  std::multiset<std::string> in_table;
  for (const Range& range : ScenarioRanges()) {
    in_table.insert(std::string(range.path));
  }

  EXPECT_EQ(in_table, in_schema);
}

TEST(ScenarioRangesTest, NoRangeIsEmpty) {
  for (const Range& range : ScenarioRanges()) {
    EXPECT_LE(range.least, range.most) << range.path;
  }
}

// Both ends of one range, as sim/scenario.proto states it: 1..256.
TEST(ScenarioRangesTest, BothEndsBelongToTheRange) {
  const auto error = [](int vcpus) {
    return LoadError(kLawful, {absl::StrCat("guest.vcpus=", vcpus)});
  };

  EXPECT_NE(error(0), "");
  EXPECT_EQ(error(1), "");
  EXPECT_EQ(error(256), "");
  EXPECT_NE(error(257), "");
}

}  // namespace
}  // namespace sim
