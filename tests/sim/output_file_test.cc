#include "sim/output_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/text_message.h"

namespace sim {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest()
      : folder_(absl::StrCat(
            testing::TempDir(), "/",
            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }

  std::string In(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

  int Files() const {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      static_cast<void>(file);
      ++files;
    }
    return files;
  }

 private:
  const std::string folder_;
};

TEST_F(OutputFileTest, WritesTheWholeFileAndLeavesNothingElse) {
  ASSERT_TRUE(WriteOutput(In("a.json"), "{}\n").ok());

  EXPECT_EQ(*ReadFile(In("a.json")), "{}\n");
  EXPECT_EQ(Files(), 1);
}

TEST_F(OutputFileTest, ReplacesAnOlderFile) {
  ASSERT_TRUE(WriteOutput(In("a.json"), "a longer content").ok());
  ASSERT_TRUE(WriteOutput(In("a.json"), "new").ok());

  EXPECT_EQ(*ReadFile(In("a.json")), "new");
}

TEST_F(OutputFileTest, CheckingTouchesNothing) {
  EXPECT_TRUE(CheckWritable(In("a.json")).ok());
  EXPECT_TRUE(CheckWritable("-").ok());

  EXPECT_EQ(Files(), 0);
}

TEST_F(OutputFileTest, FindsBeforehandWhatCannotBeWritten) {
  EXPECT_TRUE(absl::StrContains(CheckWritable(In("none/a.json")).message(),
                                "none/a.json: cannot be written: "));
  EXPECT_TRUE(
      absl::StrContains(CheckWritable(In("")).message(), "Is a directory"));
  EXPECT_FALSE(WriteOutput(In("none/a.json"), "x").ok());
}

TEST_F(OutputFileTest, WritesIntoADeviceWithoutReplacingIt) {
  ASSERT_TRUE(WriteOutput("/dev/null", "x").ok());

  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

}  // namespace
}  // namespace sim
