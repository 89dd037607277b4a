// What front ends wrote, lawful ones and others, read by whatever compiler and
// sanitizer the test is built with.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fuzz/vhost_user/front_end_input.h"
#include "tests/fuzz/vhost_user/front_end_target.h"

namespace fuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kCorpus[] = "tests/fuzz/vhost_user/corpus";

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

FrontEndInput InputOf(const std::filesystem::path& path) {
  auto input = ParseFrontEndInput(Read(path));
  EXPECT_TRUE(input.ok()) << path << ": " << input.status();
  return *std::move(input);
}

std::vector<std::filesystem::path> Corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(FrontEndCorpusTest, BreaksNoRule) {
  ASSERT_THAT(Corpus(), Not(IsEmpty()));
  for (const std::filesystem::path& path : Corpus()) {
    const FrontEndOutcome outcome = RunFrontEnd(InputOf(path));

    EXPECT_EQ(outcome.fault, "") << path << "\n" << outcome.trace;
  }
}

TEST(FrontEndCorpusTest, HasAFrontEndThatIsServed) {
  const auto outcome =
      RunFrontEnd(InputOf(std::string(kCorpus) + "/qemu_split.txt"));

  EXPECT_THAT(outcome.trace, HasSubstr("starts"));
  EXPECT_THAT(outcome.trace, Not(HasSubstr("vhost-user ")));
}

TEST(FrontEndCorpusTest, BreaksNoRuleWithAnyOneBitChanged) {
  FrontEndInput input = InputOf(std::string(kCorpus) + "/qemu_split.txt");
  for (WrittenMessage& message : input) {
    for (std::byte& changed : message.bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        changed ^= std::byte{1} << bit;
        EXPECT_EQ(RunFrontEnd(input).fault, "") << PrintFrontEndInput(input);
        changed ^= std::byte{1} << bit;
      }
    }
  }
}

TEST(FrontEndInputTest, IsTheSameAfterPacking) {
  for (const std::filesystem::path& path : Corpus()) {
    const FrontEndInput input = InputOf(path);

    EXPECT_EQ(UnpackFrontEndInput(PackFrontEndInput(input)), input);
    EXPECT_EQ(*ParseFrontEndInput(PrintFrontEndInput(input)), input);
  }
}

TEST(FrontEndInputTest, IsNotWhatHasOddDigits) {
  EXPECT_FALSE(ParseFrontEndInput("1 123").ok());
  EXPECT_FALSE(ParseFrontEndInput("x 12").ok());
  EXPECT_FALSE(ParseFrontEndInput("256 12").ok());
}

}  // namespace
}  // namespace fuzz
