#include "sim/arguments.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

absl::StatusOr<Arguments> Parse(const std::vector<std::string>& args) {
  return Arguments::Parse(args, {{"pool", "N", "senders"},
                                 {"set", "PATH=VALUE", "any field"},
                                 {"quiet", "", "say less"}});
}

std::string ErrorOf(const std::vector<std::string>& args) {
  return std::string(Parse(args).status().message());
}

TEST(ArgumentsTest, TakesAValueAfterEqualsOrAsTheNextWord) {
  EXPECT_EQ(Parse({"--pool=3"})->Text("pool"), "3");
  EXPECT_EQ(Parse({"--pool", "3"})->Text("pool"), "3");
  EXPECT_EQ(Parse({"--set=a=b"})->Text("set"), "a=b");
}

TEST(ArgumentsTest, KnowsWhatWasNotGiven) {
  const Arguments arguments = *Parse({"--quiet"});

  EXPECT_TRUE(arguments.Has("quiet"));
  EXPECT_FALSE(arguments.Has("pool"));
  EXPECT_EQ(*arguments.Value<uint32_t>("pool"), absl::nullopt);
}

TEST(ArgumentsTest, KeepsAllValuesOfAFlagInOrder) {
  const Arguments arguments = *Parse({"--set", "a=1", "--set", "b=2"});

  EXPECT_EQ(arguments.All("set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(arguments.Text("set"), "b=2");
}

TEST(ArgumentsTest, TellsFlagsFromOtherWords) {
  const Arguments arguments = *Parse({"a", "--quiet", "b", "--", "--pool=1"});

  EXPECT_EQ(arguments.positional(),
            (std::vector<std::string>{"a", "b", "--pool=1"}));
}

TEST(ArgumentsTest, OffersNearNamesForAnUnknownFlag) {
  EXPECT_EQ(ErrorOf({"--poool=3"}),
            "unknown flag --poool; did you mean --pool?");
}

TEST(ArgumentsTest, RefusesAFlagWithoutItsValueAndASwitchWithOne) {
  EXPECT_EQ(ErrorOf({"--pool"}), "--pool: needs a value, N");
  EXPECT_EQ(ErrorOf({"--pool="}), "--pool: needs a value, N");
  EXPECT_EQ(ErrorOf({"--quiet=yes"}), "--quiet=yes: this flag takes no value");
}

TEST(ArgumentsTest, RefusesAValueOfTheWrongType) {
  for (const char* bad : {"many", "-1", "3.5", "4294967296", "3 4"}) {
    const absl::StatusOr<absl::optional<uint32_t>> value =
        Parse({std::string("--pool=") + bad})->Value<uint32_t>("pool");
    EXPECT_EQ(value.status().message(),
              std::string("--pool=") + bad + ": not a lawful value");
  }
  EXPECT_EQ(*Parse({"--pool=16"})->Value<uint32_t>("pool"), 16u);
}

TEST(ArgumentsTest, WritesItsFlagsAgainFitForAShell) {
  const Arguments arguments =
      *Parse({"--quiet", "--pool=3", "--set", "question=it's so"});

  EXPECT_EQ(arguments.Again({"pool"}), " --quiet '--set=question=it'\\''s so'");
}

TEST(ArgumentsTest, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(ShellWord("--set=flow.a.count=3"), "--set=flow.a.count=3");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("$HOME"), "'$HOME'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ArgumentsTest, HelpNamesEveryFlag) {
  EXPECT_EQ(FlagsHelp({{"pool", "N", "senders"}, {"quiet", "", "say less"}}),
            "  --pool=N                   senders\n"
            "  --quiet                    say less\n");
}

}  // namespace
}  // namespace sim
