// Tries sim/platform_loader.h: a platform that extends another.

#include "sim/platform_loader.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/platform.pb.h"
#include "tests/sim/scenario_file.h"

namespace sim {
namespace {

constexpr char kSyscall[] =
    "syscall { low: 1 mode: 2 high: 3 unit: NANOSECONDS source: \"test\" }\n";

absl::StatusOr<Platform> ReadText(absl::string_view file,
                                  const std::string& text) {
  return ReadPlatform(WriteFile(file, text));
}

std::string ErrorOf(absl::string_view file, const std::string& text) {
  return std::string(ReadText(file, text).status().message());
}

Platform Named(const char* name) {
  return *ReadPlatform(*PlatformFile(name, ""));
}

TEST(PlatformLoaderTest, TakesMissingCostsFromThePlatformItExtends) {
  const auto platform =
      ReadText("p.textproto",
               absl::StrCat("name: \"p\" extends: \"linux_kvm\"\n", kSyscall));

  ASSERT_TRUE(platform.ok()) << platform.status();
  EXPECT_EQ(platform->name(), "p");
  EXPECT_EQ(platform->syscall().mode(), 2u);
  EXPECT_EQ(platform->kick().mode(), Named("linux_kvm").kick().mode());
}

TEST(PlatformLoaderTest, ExtendsAPlatformBesideItsOwnFile) {
  WriteFile("base.textproto",
            absl::StrCat("name: \"base\" extends: \"linux_kvm\"\n", kSyscall));

  const auto platform =
      ReadText("p.textproto", "name: \"p\" extends: \"base.textproto\"\n");

  ASSERT_TRUE(platform.ok()) << platform.status();
  EXPECT_EQ(platform->syscall().mode(), 2u);
}

TEST(PlatformLoaderTest, WantsEveryCostOfAPlatformThatExtendsNone) {
  EXPECT_TRUE(absl::StrContains(
      ErrorOf("p.textproto", absl::StrCat("name: \"p\"\n", kSyscall)),
      "kick: needs low, mode and high"));
}

TEST(PlatformLoaderTest, WantsWholeCostsOfAPlatformThatExtends) {
  EXPECT_TRUE(absl::StrContains(
      ErrorOf("p.textproto",
              "name: \"p\" extends: \"linux_kvm\"\nsyscall { mode: 2 }\n"),
      "p.textproto:2:1: syscall: needs low, mode and high"));
}

TEST(PlatformLoaderTest, PlacesAnUnknownPlatform) {
  EXPECT_TRUE(absl::StrContains(
      ErrorOf("p.textproto", "name: \"p\"\nextends: \"vax\"\n"),
      "p.textproto:2:1: extends: "));
}

TEST(PlatformLoaderTest, PlacesALoop) {
  WriteFile("a.textproto", "name: \"a\" extends: \"b.textproto\"\n");

  EXPECT_TRUE(absl::StrContains(
      ErrorOf("b.textproto", "name: \"b\" extends: \"a.textproto\"\n"),
      "leads back to this file"));
}

TEST(PlatformLoaderTest, KnowsMacos) {
  EXPECT_NE(Named("macos").syscall().mode(),
            Named("linux_kvm").syscall().mode());
  EXPECT_EQ(Named("macos").worker_packet().mode(),
            Named("linux_kvm").worker_packet().mode());
}

}  // namespace
}  // namespace sim
