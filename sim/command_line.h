// command_line.h: what every program in this folder does with its command line.

#ifndef SIM_COMMAND_LINE_H_
#define SIM_COMMAND_LINE_H_

#include <functional>
#include <string>
#include <vector>

#include "sim/arguments.h"

namespace sim {

struct CommandLine {
  std::string name;  // of its target in this folder
  std::string help;  // before its flags, and after them
  std::string exit_codes;
  std::vector<FlagSpec> flags;
  bool takes_scenario = false;  // as its only argument beside flags
  // Returns the exit code.
  std::function<int(const Arguments&)> run;
};

// Exit codes of a program that runs one scenario.
extern const char kScenarioExitCodes[];

// Answers --help and --version itself; returns the exit code.
int RunCommandLine(const CommandLine& line,
                   const std::vector<std::string>& args);

}  // namespace sim

#endif  // SIM_COMMAND_LINE_H_
