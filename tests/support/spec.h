// spec.h: a test says which rule of the specification it is about.
//
// The rule goes into the test's XML (bazel-testlogs/.../test.xml), and
// tests/conformance:spec_map_test holds docs/spec_map.md to it.

#ifndef TESTS_SUPPORT_SPEC_H_
#define TESTS_SUPPORT_SPEC_H_

#include <string>

#include "absl/strings/string_view.h"

enum class Level { kMust, kMustNot, kShould, kShouldNot, kMay };

// The test that runs tries a rule of `level` in `clause` of virtio `version`:
// Spec("1.3", "2.7.7.2", Level::kMust). A test may try several.
void Spec(absl::string_view version, absl::string_view clause, Level level);

#endif  // TESTS_SUPPORT_SPEC_H_
