// progress.h: how far it is, and how long it will take, for who watches.

#ifndef SIM_PROGRESS_H_
#define SIM_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace sim {

// "12 of 27 runs, about 3 s left".
std::string ProgressText(uint32_t done, uint32_t all, absl::Duration elapsed);

// One line on standard error, written over and over. Silent unless that is a
// terminal.
class Progress {
 public:
  Progress();
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(uint32_t done, uint32_t all);

 private:
  const bool visible_;
  const absl::Time begin_;
};

}  // namespace sim

#endif  // SIM_PROGRESS_H_
