#include "tests/fuzz/vhost_user/front_end_input.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace fuzz {
namespace {

// A length is two bytes; no message needs as many.
constexpr size_t kMostBytes = 511;

std::optional<WrittenMessage> ParseLine(absl::string_view line) {
  const std::vector<std::string> halves =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  uint32_t files;
  if (!absl::SimpleAtoi(halves[0], &files) || files > 255) return std::nullopt;
  WrittenMessage message = {.files = static_cast<uint8_t>(files)};
  if (halves.size() == 1) return message;
  const std::string digits = absl::StrReplaceAll(halves[1], {{" ", ""}});
  if (digits.size() % 2 != 0 || digits.size() / 2 > kMostBytes ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
    return std::nullopt;
  }
  for (const char c : absl::HexStringToBytes(digits)) {
    message.bytes.push_back(static_cast<std::byte>(c));
  }
  return message;
}

}  // namespace

absl::StatusOr<FrontEndInput> ParseFrontEndInput(absl::string_view text) {
  FrontEndInput input;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    std::optional<WrittenMessage> message = ParseLine(line);
    if (!message.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is no message"));
    }
    input.push_back(*std::move(message));
  }
  return input;
}

std::string PrintFrontEndInput(const FrontEndInput& input) {
  std::string text;
  for (const WrittenMessage& message : input) {
    absl::StrAppend(&text, message.files);
    for (size_t i = 0; i < message.bytes.size(); ++i) {
      if (i % 4 == 0) absl::StrAppend(&text, " ");
      absl::StrAppend(&text, absl::Hex(static_cast<uint8_t>(message.bytes[i]),
                                       absl::kZeroPad2));
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::vector<uint8_t> PackFrontEndInput(const FrontEndInput& input) {
  std::vector<uint8_t> packed;
  for (const WrittenMessage& message : input) {
    packed.push_back(message.files);
    packed.push_back(static_cast<uint8_t>(message.bytes.size() >> 8));
    packed.push_back(static_cast<uint8_t>(message.bytes.size()));
    for (const std::byte b : message.bytes) {
      packed.push_back(static_cast<uint8_t>(b));
    }
  }
  return packed;
}

FrontEndInput UnpackFrontEndInput(absl::Span<const uint8_t> packed) {
  FrontEndInput input;
  while (packed.size() >= 3) {
    WrittenMessage message = {.files = packed[0]};
    const size_t size = std::min<size_t>(
        (packed[1] << 8 | packed[2]) & kMostBytes, packed.size() - 3);
    for (const uint8_t b : packed.subspan(3, size)) {
      message.bytes.push_back(static_cast<std::byte>(b));
    }
    input.push_back(std::move(message));
    packed.remove_prefix(3 + size);
  }
  return input;
}

}  // namespace fuzz
