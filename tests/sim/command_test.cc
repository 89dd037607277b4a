#include "sim/command.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/arguments.h"
#include "sim/report_text.h"
#include "sim/result.pb.h"
#include "sim/text_message.h"
#include "tests/sim/fake_run.h"

namespace sim {
namespace {

using ::testing::HasSubstr;

Command CommandFor(Scenario scenario, OutputOptions output) {
  return {{scenario, Platform()}, output, "replay me", ReportBody};
}

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome RunIt(const Command& command, const RunFunction& run) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = RunCommand(command, run);
  return {code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

std::string TempFile(const std::string& name) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::filesystem::remove(path);
  return path;
}

Scenario Expecting(double at_least) {
  Scenario scenario = ThreeArms(2);
  Expect& expect = *scenario.add_expect();
  expect.set_metric("lone.goodput_bytes_per_second");
  expect.set_arm("alone");
  expect.set_at_least(at_least);
  return scenario;
}

TEST(CommandTest, PrintsHeadAndBodyAndExitsWithZero) {
  const Outcome outcome = RunIt(CommandFor(ThreeArms(2), {}), FakeRun);

  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(absl::StartsWith(outcome.out, "three: Which is it?\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nReplay: replay me\nValidation: "));
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandTest, WritesJsonAndCsvBesideTheText) {
  OutputOptions output;
  output.json = TempFile("both.json");
  output.csv = TempFile("both.csv");

  const Outcome outcome = RunIt(CommandFor(ThreeArms(2), output), FakeRun);

  EXPECT_NE(outcome.out, "");
  EXPECT_TRUE(absl::StrContains(*ReadFile(output.json), "\"complete\": true"));
  EXPECT_TRUE(absl::StartsWith(*ReadFile(output.csv), "version,scenario.name"));
}

TEST(CommandTest, PrintsNothingButJsonIfThatGoesToStandardOutput) {
  OutputOptions output;
  output.json = "-";

  const Outcome outcome = RunIt(CommandFor(ThreeArms(2), output), FakeRun);

  EXPECT_TRUE(absl::StartsWith(outcome.out, "{\n"));
  EXPECT_TRUE(absl::EndsWith(outcome.out, "}\n"));
}

TEST(CommandTest, QuietPrintsNothing) {
  OutputOptions output;
  output.quiet = true;

  EXPECT_EQ(RunIt(CommandFor(ThreeArms(2), output), FakeRun).out, "");
}

// FakeRun gives 1000 to 1009.
TEST(CommandTest, ExitsWithOneWhenAnExpectationIsBroken) {
  EXPECT_EQ(RunIt(CommandFor(Expecting(1000), {}), FakeRun).code, 0);

  const Outcome outcome = RunIt(CommandFor(Expecting(2000), {}), FakeRun);

  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "error: an expectation was broken\nReplay: replay me\n");
}

absl::StatusOr<RunResult> BreakALaw(const Scenario&, const Platform&,
                                    const Arm&, uint64_t,
                                    const std::atomic<bool>&) {
  return absl::FailedPreconditionError("a law is broken");
}

TEST(CommandTest, ExitsWithOneAndWritesNoFileWhenARunFails) {
  OutputOptions output;
  output.json = TempFile("failed.json");

  const Outcome outcome = RunIt(CommandFor(ThreeArms(2), output), BreakALaw);

  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(absl::StrContains(outcome.err,
                                "a law is broken\nReplay: replay "
                                "me\n"));
  EXPECT_FALSE(std::filesystem::exists(output.json));
}

TEST(CommandTest, ExitsWithTwoBeforeItRunsWhenAFileCannotBeWritten) {
  OutputOptions output;
  output.json = "/nonexistent/out.json";
  int runs = 0;
  const RunFunction run = [&runs](const Scenario&, const Platform&, const Arm&,
                                  uint64_t, const std::atomic<bool>&) {
    ++runs;
    return absl::StatusOr<RunResult>(RunResult());
  };

  const Outcome outcome = RunIt(CommandFor(ThreeArms(2), output), run);

  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(outcome.out, "");
}

// Ctrl-C in the third of nine runs.
absl::StatusOr<RunResult> InterruptedRun(const Scenario& scenario,
                                         const Platform& platform,
                                         const Arm& arm, uint64_t seed,
                                         const std::atomic<bool>& stop) {
  if (arm.name() == "datagrams") std::raise(SIGINT);
  if (stop) return absl::CancelledError("stopped");
  return FakeRun(scenario, platform, arm, seed, stop);
}

// In a process of its own, since the flag stays set.
TEST(CommandDeathTest, CtrlCLeavesAValidPartialResultAndExitsWith130) {
  OutputOptions output;
  output.json = TempFile("partial.json");

  EXPECT_EXIT(
      std::exit(RunCommand(CommandFor(ThreeArms(3), output), InterruptedRun)),
      testing::ExitedWithCode(130), "");

  const std::string json = *ReadFile(output.json);
  EXPECT_TRUE(absl::StrContains(json, "\"complete\": false"));
  EXPECT_TRUE(absl::StrContains(json, "\"arm\": \"streams\""));
}

Arguments Parsed(const std::vector<std::string>& args) {
  return *Arguments::Parse(args, CommonFlags());
}

TEST(CommandTest, ReplayKeepsWhatDecidesTheResultAndNamesTheSeed) {
  EXPECT_EQ(ReplayLine("run",
                       Parsed({"my file.textproto", "--jobs=3", "--json=x",
                               "--set", "guest.vcpus=2", "--quiet"}),
                       7),
            "./bazelw run //sim:run -- 'my file.textproto' --seed=7 "
            "--set=guest.vcpus=2");
}

TEST(CommandTest, RefusesOutputsThatCannotBe) {
  const auto error = [](const std::vector<std::string>& args) {
    return std::string(ReadOutputOptions(Parsed(args)).status().message());
  };

  EXPECT_EQ(error({"--jobs=0"}), "--jobs=0: not in 1..1024");
  EXPECT_EQ(error({"--jobs=x"}), "--jobs=x: not a lawful value");
  EXPECT_EQ(error({"--json=-", "--csv=-"}), "--json and --csv both write to -");
}

TEST(CommandTest, TakesFilesFromTheUsersOwnFolder) {
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", /*overwrite=*/1);

  EXPECT_EQ(ReadOutputOptions(Parsed({"--json=a.json"}))->json,
            "/home/user/a.json");
  EXPECT_EQ(ReadOutputOptions(Parsed({"--json=-"}))->json, "-");
  unsetenv("BUILD_WORKING_DIRECTORY");
}

}  // namespace
}  // namespace sim
