// Memory that changes between being looked at and being used, in the middle of
// one call: whichever access it comes before, the call answers as if it had
// changed before the call, or after it. An index or a descriptor that was read
// in halves, or looked at twice, would be a third answer.

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/fuzz/device_target.h"
#include "tests/fuzz/driver_target.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/outcome.h"

namespace fuzz {
namespace {

constexpr int kAccesses = 24;  // more than any call here has

struct Change {
  std::string name;
  std::string before;  // the script up to there
  std::string write;   // what is written
  std::string call;    // meanwhile

  friend std::ostream& operator<<(std::ostream& out, const Change& change) {
    return out << change.name;
  }
};

// What the last call of the script said.
std::string LastAnswer(const Target& target, const std::string& script) {
  const Outcome outcome = RunText(target, script);
  EXPECT_EQ(outcome.fault, "") << outcome.trace;
  return outcome.trace.substr(
      outcome.trace.rfind("\n  ", outcome.trace.size() - 2));
}

class ChangedMeanwhileTest : public testing::TestWithParam<Change> {
 protected:
  // Expects one of the two answers whenever it changes, and each at some time.
  static void ExpectBeforeOrAfter(const Target& target);
};

void ChangedMeanwhileTest::ExpectBeforeOrAfter(const Target& target) {
  const auto& [name, before, write, call] = GetParam();
  const std::string early =
      LastAnswer(target, absl::StrCat(before, "poke ", write, "\n", call));
  const std::string late = LastAnswer(target, absl::StrCat(before, call));
  EXPECT_NE(early, late);
  EXPECT_EQ(
      LastAnswer(target, absl::StrCat(before, "during 0 ", write, "\n", call)),
      early);
  for (int i = 0; i < kAccesses; ++i) {
    const std::string answer = LastAnswer(
        target, absl::StrCat(before, "during ", i, " ", write, "\n", call));
    EXPECT_TRUE(answer == early || answer == late) << i << answer;
  }
}

// The ring is at 0x1000. A split one of 4: descriptors of 16 bytes, then the
// available ring at 0x1040 and the used ring at 0x1080.
constexpr char kSplit[] =
    "queue split 4 indirect\n"
    "entry 0x10600 0x10000 16 next 1\n"
    "entry 0x10610 0x10100 16 write 0\n"
    "desc 0 0x10000 64 0 0\n"
    "desc 1 0x10000 64 next 2\n"
    "desc 2 0x10100 64 write 0\n"
    "desc 3 0x10600 32 indirect 0\n";
constexpr char kPacked[] =
    "queue packed 4 indirect\n"
    "entry 0x10600 0x10000 16 0 0\n"
    "entry 0x10610 0x10100 16 write 0\n";

std::vector<Change> ChangesByTheDriver() {
  const std::string one = absl::StrCat(kSplit, "offer 0\n");
  const std::string two = absl::StrCat(kSplit, "offer 1\n");
  const std::string table = absl::StrCat(kSplit, "offer 3\n");
  const std::string packed_one = absl::StrCat(kPacked, "give 0x10000 64 0 1\n");
  const std::string packed_two = absl::StrCat(
      kPacked, "give 0x10000 64 next 1\ngive 0x10100 64 write 1\n");
  const std::string packed_table =
      absl::StrCat(kPacked, "give 0x10600 32 indirect 1\n");
  return {
      {"SplitIdxThatJumps", kSplit, "0x1042 2 9", "pop 0\n"},
      {"SplitIdxTakenBack", one, "0x1042 2 0", "pop 0\n"},
      {"SplitIdxOfWhichBothBytesChange",
       absl::StrCat(kSplit, "base 255\nhead 3 0\n"), "0x1042 2 0x100",
       "pop 0\n"},
      {"SplitHead", one, "0x1044 2 1", "pop 0\n"},
      {"SplitHeadOfNoDescriptor", one, "0x1044 2 0xffff", "pop 0\n"},
      {"SplitAddress", one, "0x1000 8 0x40000000", "pop 0\n"},
      {"SplitLength", one, "0x1008 4 0x801", "pop 0\n"},
      {"SplitFlags", one, "0x100c 2 2", "pop 0\n"},
      {"SplitNextOfTheFirst", two, "0x101e 2 4", "pop 0\n"},
      {"SplitFlagsOfTheSecond", two, "0x102c 2 1", "pop 0\n"},
      {"SplitLengthOfATable", table, "0x1038 4 16", "pop 0\n"},
      {"SplitAddressOfATable", table, "0x1030 8 0x40000000", "pop 0\n"},
      {"SplitFlagsInATable", table, "0x1061c 2 4", "pop 0\n"},
      {"SplitLengthInATable", table, "0x10618 4 0x801", "pop 0\n"},
      {"PackedAddress", packed_one, "0x1000 8 0x40000000", "pop 0\n"},
      {"PackedLength", packed_one, "0x1008 4 0x801", "pop 0\n"},
      {"PackedId", packed_one, "0x100c 2 3", "pop 0\n"},
      {"PackedFlags", packed_one, "0x100e 2 0x82", "pop 0\n"},
      {"PackedTakenBack", packed_one, "0x100e 2 0", "pop 0\n"},
      {"PackedFlagsOfTheSecond", packed_two, "0x101e 2 0x8080", "pop 0\n"},
      {"PackedIdOfTheSecond", packed_two, "0x101c 2 2", "pop 0\n"},
      {"PackedLengthOfTheSecond", packed_two, "0x1018 4 0x801", "pop 0\n"},
      {"PackedLengthOfATable", packed_table, "0x1008 4 16", "pop 0\n"},
      {"PackedFlagsInATable", packed_table, "0x1060e 2 2", "pop 0\n"},
  };
}

std::vector<Change> ChangesByTheDevice() {
  const std::string split =
      "queue split 4\nadd 0 1 64\nadd 0 1 64\npublish\nuse 0 8\n";
  const std::string packed =
      "queue packed 4\nadd 0 1 64\nadd 0 1 64\npublish\nuse 0 8\n";
  return {
      {"SplitIdxThatJumps", split, "0x1082 2 3", "collect\n"},
      {"SplitIdxTakenBack", split, "0x1082 2 0", "collect\n"},
      {"SplitIdxOfWhichBothBytesChange",
       "queue split 4\nbase 255\nadd 0 1 64\npublish\nused 3 0 8\n",
       "0x1082 2 0x100", "collect\n"},
      {"SplitId", split, "0x1084 4 1", "collect\n"},
      {"SplitIdOfNoDescriptor", split, "0x1084 4 0x10000", "collect\n"},
      {"SplitLength", split, "0x1088 4 65", "collect\n"},
      {"PackedId", packed, "0x100c 2 1", "collect\n"},
      {"PackedIdOfNone", packed, "0x100c 2 0xffff", "collect\n"},
      {"PackedLength", packed, "0x1008 4 65", "collect\n"},
      {"PackedFlags", packed, "0x100e 2 0x8080", "collect\n"},
      {"PackedTakenBack", packed, "0x100e 2 0x80", "collect\n"},
  };
}

class ChangedByTheDriverTest : public ChangedMeanwhileTest {};

TEST_P(ChangedByTheDriverTest, GivesTheAnswerOfBeforeOrAfter) {
  ExpectBeforeOrAfter(DeviceTarget());
}

INSTANTIATE_TEST_SUITE_P(Pop, ChangedByTheDriverTest,
                         testing::ValuesIn(ChangesByTheDriver()),
                         [](const auto& test) { return test.param.name; });

class ChangedByTheDeviceTest : public ChangedMeanwhileTest {};

TEST_P(ChangedByTheDeviceTest, GivesTheAnswerOfBeforeOrAfter) {
  ExpectBeforeOrAfter(DriverTarget());
}

INSTANTIATE_TEST_SUITE_P(Collect, ChangedByTheDeviceTest,
                         testing::ValuesIn(ChangesByTheDevice()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuzz
