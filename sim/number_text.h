// number_text.h: numbers as reports print them.
//
// Nothing here depends on the locale. Doubles that a result file holds are
// rounded to 9 digits first: what a compiler may do to the last bits of a
// quantile or a p-value must not show.

#ifndef SIM_NUMBER_TEXT_H_
#define SIM_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

namespace sim {

// To 9 significant digits.
double Rounded(double value);

// "1234567" -> "1,234,567".
std::string WithCommas(uint64_t value);

// Three or four digits that matter, no exponent: "0.123", "4.57", "61.2",
// "612", "12,346".
std::string Short(double value);

// With sign, as a percentage: "+16.0 %", "+4,730 %".
std::string SignedPercent(double value);

// The same without its sign: "16.0 %".
std::string UnsignedPercent(double value);

// "= 0.032"; "< 0.001" and "> 0.999" at the ends.
std::string Probability(double value);

}  // namespace sim

#endif  // SIM_NUMBER_TEXT_H_
