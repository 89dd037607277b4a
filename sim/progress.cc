#include "sim/progress.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace sim {

std::string ProgressText(uint32_t done, uint32_t all, absl::Duration elapsed) {
  if (done == 0) return absl::StrFormat("0 of %u runs", all);
  const absl::Duration left = elapsed / done * (all - done);
  return absl::StrFormat("%u of %u runs, about %.0f s left", done, all,
                         absl::ToDoubleSeconds(left));
}

Progress::Progress() : visible_(isatty(STDERR_FILENO)), begin_(absl::Now()) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\033[K", stderr);
}

void Progress::Show(uint32_t done, uint32_t all) {
  if (!visible_) return;
  const std::string text = ProgressText(done, all, absl::Now() - begin_);
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

}  // namespace sim
