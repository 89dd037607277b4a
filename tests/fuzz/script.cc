#include "tests/fuzz/script.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "virtqueue/ring_layout.h"

namespace fuzz {
namespace {

using virtqueue::RingFormat;
using Words = std::vector<absl::string_view>;

struct Flag {
  absl::string_view name;
  uint64_t bit;
};

constexpr Flag kFlags[] = {{"next", 1},
                           {"write", 2},
                           {"indirect", 4},
                           {"avail", 1 << 7},
                           {"used", 1 << 15}};

bool ParseNumber(absl::string_view text, uint64_t& number) {
  if (absl::ConsumePrefix(&text, "0x")) {
    return absl::SimpleHexAtoi(text, &number);
  }
  return absl::SimpleAtoi(text, &number);
}

bool ParseFlag(absl::string_view text, uint64_t& bits) {
  for (const Flag& flag : kFlags) {
    if (text == flag.name) return bits = flag.bit, true;
  }
  return ParseNumber(text, bits);
}

bool ParseFlags(absl::string_view text, uint64_t& flags) {
  flags = 0;
  for (const absl::string_view word : absl::StrSplit(text, '|')) {
    uint64_t bits = 0;
    if (!ParseFlag(word, bits)) return false;
    flags |= bits;
  }
  return true;
}

bool ParseArg(ArgKind kind, absl::string_view text, uint64_t& arg) {
  const bool parsed =
      kind == ArgKind::kFlags ? ParseFlags(text, arg) : ParseNumber(text, arg);
  return parsed && arg <= LargestOf(kind);
}

std::string PrintFlags(uint64_t flags) {
  std::vector<std::string> words;
  for (const Flag& flag : kFlags) {
    if ((flags & flag.bit) == 0) continue;
    words.emplace_back(flag.name);
    flags &= ~flag.bit;
  }
  if (flags != 0 || words.empty()) {
    words.push_back(flags == 0 ? "0" : absl::StrCat("0x", absl::Hex(flags)));
  }
  return absl::StrJoin(words, "|");
}

std::string PrintArg(ArgKind kind, uint64_t arg) {
  switch (kind) {
    case ArgKind::kFlags:
      return PrintFlags(arg);
    case ArgKind::kAddr:
    case ArgKind::kValue:
      return absl::StrCat("0x", absl::Hex(arg));
    default:
      return absl::StrCat(arg);
  }
}

bool ParseOption(absl::string_view word, QueueSpec& queue) {
  uint64_t entries = 0;
  if (word == "event_idx") return queue.event_idx = true;
  if (word == "indirect") return queue.indirect = true;
  if (word == "in_order") return queue.in_order = true;
  if (word == "vast") return queue.vast = true;
  if (absl::ConsumePrefix(&word, "tables=") && ParseNumber(word, entries)) {
    queue.table_entries = static_cast<uint16_t>(entries);
    return entries <= QueueSpec::kMaxTable;
  }
  return false;
}

bool ParseQueue(const Words& words, QueueSpec& queue) {
  if (words.size() < 3 || words[0] != "queue") return false;
  if (words[1] != "split" && words[1] != "packed") return false;
  queue.format = words[1] == "split" ? RingFormat::kSplit : RingFormat::kPacked;
  uint64_t size = 0;
  if (!ParseNumber(words[2], size) || size > QueueSpec::kMaxSize) return false;
  queue.size = static_cast<uint16_t>(size);
  for (size_t i = 3; i < words.size(); ++i) {
    if (!ParseOption(words[i], queue)) return false;
  }
  return virtqueue::CheckRingSize(queue.format, queue.size).ok();
}

std::string PrintQueue(const QueueSpec& queue) {
  return absl::StrCat(
      "queue ", queue.format == RingFormat::kSplit ? "split " : "packed ",
      queue.size, queue.event_idx ? " event_idx" : "",
      queue.indirect ? " indirect" : "", queue.in_order ? " in_order" : "",
      queue.vast ? " vast" : "",
      queue.table_entries == 0 ? ""
                               : absl::StrCat(" tables=", queue.table_entries));
}

bool ParseCall(Grammar grammar, const Words& words, Call& call) {
  while (call.spec < grammar.size() && grammar[call.spec].name != words[0]) {
    ++call.spec;
  }
  if (call.spec == grammar.size()) return false;
  const CallSpec& spec = grammar[call.spec];
  if (words.size() != spec.args.size() + 1) return false;
  for (size_t i = 0; i < spec.args.size(); ++i) {
    if (!ParseArg(spec.args[i], words[i + 1], call.args[i])) return false;
  }
  return true;
}

absl::Status Refuse(int line, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", why));
}

}  // namespace

uint64_t LargestOf(ArgKind kind) {
  switch (kind) {
    case ArgKind::kSlot:
    case ArgKind::kWord:
    case ArgKind::kFlags:
      return std::numeric_limits<uint16_t>::max();
    case ArgKind::kLen:
    case ArgKind::kId:
      return std::numeric_limits<uint32_t>::max();
    case ArgKind::kAddr:
    case ArgKind::kValue:
      return std::numeric_limits<uint64_t>::max();
    case ArgKind::kWidth:
      return 8;
    case ArgKind::kChain:
      return 7;
    case ArgKind::kCount:
      return 2 * QueueSpec::kMaxSize - 1;
  }
  return 0;
}

absl::StatusOr<Script> ParseScript(Grammar grammar, absl::string_view text) {
  Script script;
  bool has_queue = false;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || absl::StartsWith(words[0], "#")) continue;
    if (!has_queue) {
      if (!ParseQueue(words, script.queue)) return Refuse(number, "no queue");
      has_queue = true;
      continue;
    }
    Call call;
    if (!ParseCall(grammar, words, call)) return Refuse(number, "no call");
    script.calls.push_back(call);
  }
  if (!has_queue) return Refuse(number, "no queue");
  if (script.calls.size() > Script::kMaxCalls)
    return Refuse(number, "too long");
  return script;
}

std::string PrintCall(Grammar grammar, const Call& call) {
  const CallSpec& spec = grammar[call.spec];
  std::string line(spec.name);
  for (size_t i = 0; i < spec.args.size(); ++i) {
    absl::StrAppend(&line, " ", PrintArg(spec.args[i], call.args[i]));
  }
  return line;
}

std::string PrintScript(Grammar grammar, const Script& script) {
  std::string text = absl::StrCat(PrintQueue(script.queue), "\n");
  for (const Call& call : script.calls) {
    absl::StrAppend(&text, PrintCall(grammar, call), "\n");
  }
  return text;
}

}  // namespace fuzz
