// output_file.h: a result file is there whole, or not at all.

#ifndef SIM_OUTPUT_FILE_H_
#define SIM_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sim {

inline constexpr char kStandardOutput[] = "-";

// Whether a file could be written at `path`; to be asked before a long run.
// Nothing is touched.
absl::Status CheckWritable(const std::string& path);

// Writes beside `path` and renames, so that no reader sees half a file. "-" is
// standard output.
absl::Status WriteOutput(const std::string& path, absl::string_view content);

}  // namespace sim

#endif  // SIM_OUTPUT_FILE_H_
