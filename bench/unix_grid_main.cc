// unix_grid_main.cc: what the model says of AF_UNIX on this machine, beside
// what this machine does.
//
//   ./bazelw run -c opt //bench:calibrate -- --out=calibrated.textproto
//   ./bazelw run -c opt //bench:unix_grid_report -- calibrated.textproto

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/this_machine.h"
#include "bench/unix_grid.h"
#include "sim/files.h"
#include "sim/platform.pb.h"
#include "sim/platform_loader.h"

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "unix_grid_report: %s\n",
               std::string(status.message()).c_str());
  return 2;
}

int Run(const std::string& path) {
  const absl::StatusOr<sim::Platform> platform =
      sim::ReadPlatform(sim::UserPath(path));
  if (!platform.ok()) return Fail(platform.status());
  const double before = bench::LoadAverage();
  const absl::StatusOr<std::vector<bench::UnixGridCell>> cells =
      bench::RunUnixGrid(*platform, {});
  if (!cells.ok()) return Fail(cells.status());
  std::printf("%s\nload average %.2f before, %.2f after\n\n%s",
              bench::ThisMachine().c_str(), before, bench::LoadAverage(),
              bench::UnixGridTable(*cells).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return Run(argv[1]);
  return Fail(absl::InvalidArgumentError("expected one platform file"));
}
