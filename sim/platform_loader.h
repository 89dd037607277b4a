// platform_loader.h: the costs of a kind of machine, from their file.

#ifndef SIM_PLATFORM_LOADER_H_
#define SIM_PLATFORM_LOADER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/platform.pb.h"
#include "sim/scenario.pb.h"
#include "sim/text_message.h"

namespace sim {

// Every cost must be there with its range, unit and source, here or in the
// platform that this one extends; errors name file, line and column.
absl::StatusOr<Platform> ReadPlatform(const std::string& path);

// The file that holds the platform of that name: one of the project's, or, with
// the ending .textproto, a path relative to `folder`.
absl::StatusOr<std::string> PlatformFile(const std::string& name,
                                         const std::string& folder);

// Puts the scenario's own costs in place of the platform's modes. Errors name
// the place in `source`, the scenario's.
absl::Status OverrideCosts(const Scenario& scenario, const TextSource& source,
                           Platform& platform);

}  // namespace sim

#endif  // SIM_PLATFORM_LOADER_H_
