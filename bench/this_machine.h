// this_machine.h: what a figure must say about where it was taken. A machine is
// named by its processor, the number of them and the kernel, and by no more.

#ifndef BENCH_THIS_MACHINE_H_
#define BENCH_THIS_MACHINE_H_

#include <cstdint>
#include <string>

namespace bench {

// "AMD EPYC (family 25 model 17), 2 processors, Linux 6.18"; what Linux does
// not say is left out.
std::string ThisMachine();

// Of the last minute; below zero if it is not known.
double LoadAverage();

// UTC, "2026-11-30".
std::string Today();

// A number in a file of /proc/sys: "net/core/wmem_max"; `otherwise` if there
// is none.
uint32_t SystemSetting(const std::string& name, uint32_t otherwise);

}  // namespace bench

#endif  // BENCH_THIS_MACHINE_H_
