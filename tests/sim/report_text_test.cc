#include "sim/report_text.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/fairness_report.h"
#include "sim/platform.pb.h"
#include "sim/result.pb.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

std::string Line(const std::string& text, const std::string& begins) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, begins)) return std::string(line);
  }
  return "";
}

std::vector<std::string> Words(const std::string& text,
                               const std::string& begins) {
  return absl::StrSplit(Line(text, begins), ' ', absl::SkipEmpty());
}

void ExpectNarrow(const std::string& text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ReportTextTest, WrapsAt100Columns) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";

  ExpectNarrow(Wrap(words));
  EXPECT_EQ(Wrap("a  b"), "a b\n");
}

TEST(ReportTextTest, HeadNamesQuestionSeedAndUnits) {
  const std::string head = ReportHead(ThreeArms(9), Platform());

  EXPECT_TRUE(absl::StartsWith(head, "three: Which is it?\n"));
  EXPECT_TRUE(absl::StrContains(head, "seed 1: 9 replicates of 3 arms"));
  EXPECT_TRUE(absl::StrContains(head, "MB are 10^6 bytes"));
}

TEST(ReportTextTest, FitsIn100Columns) {
  const ScenarioResult result = FakeExperiment(9);

  ExpectNarrow(ReportHead(result.scenario(), result.platform()));
  ExpectNarrow(ReportBody(result));
  ExpectNarrow(FairnessBody(result));
}

TEST(ReportTextTest, PutsTheArmsSideBySide) {
  const std::string body = ReportBody(ResultWith({3e6, 3e6}, {2e6, 2e6}));

  EXPECT_EQ(
      Words(body, "  goodput, MB/s"),
      (std::vector<std::string>{"goodput,", "MB/s", "0.000", "2.00", "3.00"}));
  EXPECT_EQ(Words(body, "means of all"),
            (std::vector<std::string>{"means", "of", "all", "replicates", "no",
                                      "load", "streams", "datagrams"}));
}

TEST(ReportTextTest, CountsDropsByCause) {
  const std::string body = ReportBody(FakeExperiment(2));

  EXPECT_EQ(Words(body, "    no_socket"),
            (std::vector<std::string>{"no_socket", "-", "0", "5.00"}));
}

// Of a measured stream too: one that was refused has no other sign of it.
TEST(ReportTextTest, TellsOfResetConnectionsInEveryFlow) {
  ScenarioResult result = FakeExperiment(2);
  const std::string label = "  connections reset ";
  EXPECT_FALSE(absl::StrContains(ReportBody(result), label));

  result.mutable_run(0)->mutable_flow(0)->set_connections_reset(1);
  const std::string body = ReportBody(result);

  const size_t in_lone = body.find(label);
  EXPECT_LT(in_lone, body.find("\nload "));
  EXPECT_NE(body.find(label, in_lone + 1), std::string::npos);
}

TEST(ReportTextTest, EndsWithTheReplayLine) {
  const ScenarioResult result = FakeExperiment(2);
  const std::string replay = "\nReplay: ./bazelw run //sim:three -- --seed=1\n";

  EXPECT_TRUE(absl::EndsWith(ReportBody(result), replay));
  EXPECT_TRUE(absl::EndsWith(FairnessBody(result), replay));
}

TEST(ReportTextTest, SaysThatAnInterruptedResultIsPartial) {
  ScenarioResult result = FakeExperiment(2);
  EXPECT_FALSE(absl::StrContains(ReportBody(result), "INTERRUPTED"));

  result.set_complete(false);
  result.mutable_run()->RemoveLast();

  EXPECT_TRUE(absl::StartsWith(ReportBody(result),
                               "INTERRUPTED: 5 of 6 runs were finished"));
}

TEST(ReportTextTest, SaysWhichExpectationsHeld) {
  ScenarioResult result = FakeExperiment(2);
  ExpectResult& held = *result.add_expect();
  held.mutable_of()->set_metric("lone.x");
  held.mutable_of()->set_arm("alone");
  held.mutable_of()->set_at_least(2);
  held.set_value(3);
  held.set_held(true);
  ExpectResult& broken = *result.add_expect();
  broken = held;
  broken.set_held(false);

  const std::string text = ExpectationsText(result);

  EXPECT_EQ(text,
            "Expectations\n"
            "  held    lone.x in alone: at least 2, is 3.00\n"
            "  BROKEN  lone.x in alone: at least 2, is 3.00\n\n");
}

// The mail's own numbers, and a word that they are published.
TEST(FairnessReportTest, PutsTheMailsFiguresBesideOurs) {
  const std::string body = FairnessBody(FakeExperiment(9));

  EXPECT_TRUE(absl::StrContains(Line(body, "the mail of"), "published"));
  EXPECT_TRUE(absl::StrContains(Line(body, "  lone stream,"), "+16.0 %"));
  EXPECT_TRUE(absl::StrContains(Line(body, "  runs an arm  "), " 7 "));
  EXPECT_TRUE(absl::StrContains(body, "509.2"));
  EXPECT_TRUE(absl::StrContains(body, "287.59"));
  EXPECT_TRUE(absl::StrContains(body, "at least 13.7 % (implied)"));
}

// One sentence for each side on which +16 % can lie.
TEST(FairnessReportTest, SaysWhatFollowsForTheMail) {
  const std::vector<double> streams = {99, 100, 101};

  const std::string smaller = FairnessBody(ResultWith({99, 100, 101}, streams));
  const std::string larger = FairnessBody(ResultWith({199, 200, 201}, streams));
  const std::string possible =
      FairnessBody(ResultWith({50, 116, 180}, streams));

  EXPECT_TRUE(absl::StrContains(smaller, "is smaller than +16.0 %"));
  EXPECT_TRUE(absl::StrContains(larger, "is larger than +16.0 %"));
  EXPECT_TRUE(absl::StrContains(possible, "+16.0 % stays possible"));
}

TEST(FairnessReportTest, HasItsMainPartsForASingleReplicate) {
  const std::string body = FairnessBody(FakeExperiment(1));

  EXPECT_TRUE(absl::StrContains(body, "no spread, so nothing to test"));
  EXPECT_TRUE(absl::StrContains(body, "Nothing can be said of"));
  EXPECT_FALSE(absl::StrContains(body, "nan"));
}

}  // namespace
}  // namespace sim
