#include "sim/text_message.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "sim/files.h"
#include "sim/near_names.h"

namespace sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

std::string PartBetween(absl::string_view text, absl::string_view before,
                        absl::string_view after) {
  const size_t begin = text.find(before);
  if (begin == absl::string_view::npos) return "";
  text.remove_prefix(begin + before.size());
  return std::string(text.substr(0, text.find(after)));
}

constexpr absl::string_view kUnknownField = "has no field named \"";
constexpr absl::string_view kUnknownValue = "Unknown enumeration value of \"";

// The parser names the type and the field it does not know; we add which field
// was probably meant.
std::string Hint(absl::string_view message, const Message& root) {
  const std::string type = PartBetween(message, "Message type \"", "\"");
  const std::string field = PartBetween(message, kUnknownField, "\"");
  const Descriptor* descriptor =
      root.GetDescriptor()->file()->pool()->FindMessageTypeByName(type);
  if (field.empty() || descriptor == nullptr) return "";
  return NearNames(field, FieldNames(*descriptor));
}

// It reports an unknown word when it stands behind it; `column` is moved to
// where the word begins.
int WordColumn(absl::string_view line, int column, absl::string_view message) {
  std::string word = PartBetween(message, kUnknownField, "\"");
  if (word.empty()) word = PartBetween(message, kUnknownValue, "\"");
  if (word.empty()) return column;
  const size_t at = line.rfind(word, static_cast<size_t>(column));
  return at == absl::string_view::npos ? column : static_cast<int>(at);
}

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  Collector(absl::string_view where, absl::string_view text,
            const Message& root, bool positions)
      : where_(where),
        lines_(absl::StrSplit(text, '\n')),
        root_(root),
        positions_(positions) {}

  // The parser counts lines and columns from 0.
  void AddError(int line, int column, const std::string& message) override {
    errors_.push_back(absl::StrCat(where_, Position(line, column, message),
                                   ": ", absl::StripSuffix(message, "."),
                                   Hint(message, root_)));
  }
  void AddWarning(int line, int column, const std::string& message) override {
    AddError(line, column, message);
  }

  absl::Status ToStatus() const {
    if (errors_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  std::string Position(int line, int column, absl::string_view message) const {
    if (!positions_) return "";
    const size_t index = static_cast<size_t>(line);
    if (index < lines_.size()) {
      column = WordColumn(lines_[index], column, message);
    }
    return absl::StrCat(":", line + 1, ":", column + 1);
  }

  const std::string where_;
  const std::vector<absl::string_view> lines_;
  const Message& root_;
  const bool positions_;
  std::vector<std::string> errors_;
};

// One step of a path: "flow[1]" is field flow, index 1; "guest" has index -1,
// as the parser wants it for what is no list.
struct Step {
  const FieldDescriptor* field = nullptr;
  int index = -1;
};

Step ParseStep(const Descriptor& type, absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '[');
  Step step;
  step.field = type.FindFieldByName(std::string(parts[0]));
  if (parts.size() > 1 &&
      !absl::SimpleAtoi(absl::StripSuffix(parts[1], "]"), &step.index)) {
    step.field = nullptr;
  }
  if (step.field != nullptr && step.field->is_repeated() && parts.size() < 2) {
    step.index = 0;  // the list as a whole: its first element
  }
  return step;
}

TextFormat::ParseLocation Locate(const TextFormat::ParseInfoTree* tree,
                                 const Descriptor* type,
                                 absl::string_view path) {
  TextFormat::ParseLocation nearest(0, 0);
  for (absl::string_view text : absl::StrSplit(path, '.')) {
    if (tree == nullptr || type == nullptr) break;
    const Step step = ParseStep(*type, text);
    if (step.field == nullptr) break;
    auto here = tree->GetLocation(step.field, step.index);
    // Of a list in brackets only the place of the whole is known.
    if (here.line < 0 && step.index > 0)
      here = tree->GetLocation(step.field, 0);
    if (here.line < 0) break;
    nearest = here;
    type = step.field->message_type();
    if (type != nullptr) tree = tree->GetTreeForNested(step.field, step.index);
  }
  return nearest;
}

bool Covers(absl::string_view outer, absl::string_view inner) {
  return inner == outer ||
         (absl::StartsWith(inner, outer) &&
          (inner[outer.size()] == '.' || inner[outer.size()] == '['));
}

}  // namespace

std::vector<std::string> FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    names.push_back(type.field(i)->name());
  }
  return names;
}

absl::Status ParseText(absl::string_view where, absl::string_view text,
                       Message& message, TextFormat::ParseInfoTree* locations) {
  Collector collector(where, text, message, locations != nullptr);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(locations);
  const bool parsed = parser.ParseFromString(std::string(text), &message);
  if (parsed) return absl::OkStatus();
  const absl::Status status = collector.ToStatus();
  return status.ok() ? absl::InvalidArgumentError(
                           absl::StrCat(where, ": cannot be parsed"))
                     : status;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  if (!in || !(content << in.rdbuf())) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  }
  return content.str();
}

TextSource::TextSource(std::string file)
    : file_(std::move(file)),
      locations_(std::make_unique<TextFormat::ParseInfoTree>()) {}

absl::Status TextSource::ReadInto(Message& message) {
  const absl::StatusOr<std::string> text = ReadFile(file_);
  if (!text.ok()) return text.status();
  return ParseText(ShownPath(file_), *text, message, locations_.get());
}

void TextSource::NoteOverride(absl::string_view path,
                              absl::string_view origin) {
  overrides_.push_back({std::string(path), std::string(origin)});
}

bool TextSource::IsOverridden(absl::string_view path) const {
  return std::any_of(
      overrides_.begin(), overrides_.end(),
      [path](const Override& over) { return Covers(over.path, path); });
}

std::string TextSource::Where(const Descriptor& root,
                              absl::string_view path) const {
  for (auto it = overrides_.rbegin(); it != overrides_.rend(); ++it) {
    if (Covers(it->path, path)) return it->origin;
  }
  const auto at = Locate(locations_.get(), &root, path);
  return absl::StrCat(ShownPath(file_), ":", at.line + 1, ":", at.column + 1);
}

}  // namespace sim
