// Every script of the corpus, run with whatever compiler and sanitizer the test
// is built with.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/device_target.h"
#include "tests/fuzz/driver_target.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/outcome.h"

namespace fuzz {
namespace {

using Path = std::filesystem::path;

std::vector<Path> ScriptsIn(const Path& directory) {
  std::vector<Path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string Read(const Path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ExpectAllRulesHold(const Target& target) {
  const std::vector<Path> paths =
      ScriptsIn(Path("tests/fuzz/corpus") / std::string(target.name));
  EXPECT_FALSE(paths.empty());
  for (const Path& path : paths) {
    const Outcome outcome = RunText(target, Read(path));
    EXPECT_EQ(outcome.fault, "") << path << "\n" << outcome.trace;
  }
}

TEST(CorpusTest, OfTheDeviceHalfBreaksNoRule) {
  ExpectAllRulesHold(DeviceTarget());
}

TEST(CorpusTest, OfTheDriverHalfBreaksNoRule) {
  ExpectAllRulesHold(DriverTarget());
}

}  // namespace
}  // namespace fuzz
