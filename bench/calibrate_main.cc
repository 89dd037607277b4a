// calibrate_main.cc: measures what things cost on this machine and writes it
// down as a platform for the simulator.
//
//   ./bazelw run -c opt //bench:calibrate -- --out=calibrated.textproto

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/calibration.h"
#include "bench/this_machine.h"
#include "sim/files.h"
#include "sim/output_file.h"
#include "sim/platform.pb.h"
#include "sim/platform_loader.h"

ABSL_FLAG(std::string, out, "calibrated.textproto",
          "the platform file to write; - is standard output");
ABSL_FLAG(uint32_t, repetitions, 21, "of each measurement, at least 1");

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "calibrate: %s\n",
               std::string(status.message()).c_str());
  return 2;
}

void Say(absl::string_view what) {
  std::fprintf(stderr, "measuring %s\n", std::string(what).c_str());
}

absl::StatusOr<sim::Platform> Base() {
  const absl::StatusOr<std::string> path =
      sim::DataPath("sim/platforms/linux_kvm.textproto");
  if (!path.ok()) return path.status();
  return sim::ReadPlatform(*path);
}

int Run() {
  std::string out = absl::GetFlag(FLAGS_out);
  if (out != sim::kStandardOutput) out = sim::UserPath(out);
  const uint32_t repetitions = absl::GetFlag(FLAGS_repetitions);
  if (repetitions == 0) {
    return Fail(absl::InvalidArgumentError("--repetitions must be 1 or more"));
  }
  absl::Status status = sim::CheckWritable(out);
  if (!status.ok()) return Fail(status);
  const absl::StatusOr<sim::Platform> base = Base();
  if (!base.ok()) return Fail(base.status());
  const std::string machine = bench::ThisMachine();
  const double before = bench::LoadAverage();
  const std::vector<bench::Figure> figures = bench::Calibrate(repetitions, Say);
  std::printf("%s\nload average %.2f before, %.2f after%s\n\n%s",
              machine.c_str(), before, bench::LoadAverage(),
              before > 0.5 ? ": the machine has other work" : "",
              bench::FiguresTable(figures).c_str());
  status = sim::WriteOutput(
      out, bench::PlatformText(bench::CalibratedPlatform(
               *base, figures, {.machine = machine, .date = bench::Today()})));
  return status.ok() ? 0 : Fail(status);
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "Measures what things cost on this machine; writes a platform file.");
  absl::ParseCommandLine(argc, argv);
  return Run();
}
