// case.h: a case is what one program of the guest does and finds.
//
// Each runs in a process of its own, with a time limit, and ends as one line on
// the console: `case NAME ok` or `case NAME FAILED why`.

#ifndef TESTS_REAL_GUEST_GUEST_CASE_H_
#define TESTS_REAL_GUEST_GUEST_CASE_H_

#include <string_view>

namespace vsock::real_guest {

struct Case {
  std::string_view name;
  void (*run)();
};

// Runs it and prints its line.
void RunCase(const Case& item);

// Within a case.

// Ends it as failed unless `holds`; the line says `what`, and errno.
void Must(bool holds, std::string_view what);

// Tells the host, by a line `ready NAME now`, that its turn has come.
void TellReady();

// Prints `KIND NAME TEXT`.
void PrintLine(std::string_view kind, std::string_view text);

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_GUEST_CASE_H_
