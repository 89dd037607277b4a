#include "sim/number_text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace sim {

double Rounded(double value) {
  double rounded = value;
  if (!absl::SimpleAtod(absl::StrFormat("%.9g", value), &rounded)) return value;
  return rounded;
}

std::string WithCommas(uint64_t value) {
  const std::string digits = absl::StrCat(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

std::string Short(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) {
    const std::string digits =
        WithCommas(static_cast<uint64_t>(std::llround(size)));
    return value < 0 ? absl::StrCat("-", digits) : digits;
  }
  if (size >= 99.95) return absl::StrFormat("%.0f", value);
  if (size >= 9.995) return absl::StrFormat("%.1f", value);
  if (size >= 0.9995) return absl::StrFormat("%.2f", value);
  return size == 0 ? "0" : absl::StrFormat("%.3f", value);
}

std::string SignedPercent(double value) {
  if (std::abs(value) >= 999.95) {
    return absl::StrCat(value > 0 ? "+" : "", Short(value), " %");
  }
  const std::string text = absl::StrFormat("%+.1f %%", value);
  return text == "-0.0 %" || text == "+0.0 %" ? "0.0 %" : text;
}

std::string UnsignedPercent(double value) {
  const std::string text = SignedPercent(std::abs(value));
  return text[0] == '+' ? text.substr(1) : text;
}

std::string Probability(double value) {
  if (value < 0.001) return "< 0.001";
  if (value > 0.999) return "> 0.999";
  return absl::StrFormat("= %.3f", value);
}

}  // namespace sim
