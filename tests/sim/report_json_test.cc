#include "sim/report_json.h"

#include <string>

#include "absl/strings/match.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "sim/result.pb.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

TEST(ReportJsonTest, ReadsBackAsTheSameResult) {
  const ScenarioResult result = FakeExperiment(3);

  ScenarioResult back;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(ReportJson(result), &back)
          .ok());

  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(result, back));
}

TEST(ReportJsonTest, UsesTheNamesOfTheSchema) {
  const std::string json = ReportJson(FakeExperiment(3));

  EXPECT_TRUE(absl::StrContains(json, "\"goodput_bytes_per_second\": "));
  EXPECT_TRUE(absl::StrContains(json, "\"version\": \"9.9.9\""));
  EXPECT_TRUE(absl::StrContains(json, "\"complete\": true"));
  EXPECT_TRUE(absl::StrContains(json, "\"replay\": \"./bazelw run "));
  EXPECT_TRUE(absl::EndsWith(json, "}\n"));
}

}  // namespace
}  // namespace sim
