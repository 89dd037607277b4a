#include "sim/set_flag.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "sim/near_names.h"
#include "sim/text_message.h"

namespace sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string NameOf(const Message& element) {
  const FieldDescriptor* name =
      element.GetDescriptor()->FindFieldByName("name");
  if (name == nullptr || name->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
    return "";
  }
  return element.GetReflection()->GetString(element, name);
}

// Walks from the message at the root to the field that is to be set.
class Walk {
 public:
  Walk(absl::string_view path, Message& root) : path_(path), here_(&root) {
    // flow[lone].count reads as flow.lone.count.
    for (absl::string_view part : absl::StrSplit(path, absl::ByAnyChar(".[")))
      parts_.emplace_back(absl::StripSuffix(part, "]"));
  }

  // After Find, here() holds the field() to be set, and canonical() is the
  // path to it.
  absl::Status Find() {
    absl::Status status = EnterField();
    while (status.ok() && next_ < parts_.size()) {
      status = field_->is_repeated() ? EnterElement() : EnterMessage();
      if (status.ok()) status = EnterField();
    }
    return status;
  }

  // If what was found is a message and `value` can only be meant for one of
  // its fields, goes on to that.
  absl::Status FollowValue(absl::string_view value) {
    const FieldDescriptor* field = FieldThatTakes(value);
    if (field == nullptr) return absl::OkStatus();
    parts_.push_back(field->name());
    const absl::Status status = EnterMessage();
    return status.ok() ? EnterField() : status;
  }

  Message& here() { return *here_; }
  const FieldDescriptor& field() const { return *field_; }
  const std::string& canonical() const { return canonical_; }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("--set ", path_, ": ", what));
  }

  absl::Status EnterField() {
    if (next_ == parts_.size()) {
      return Error("names a whole element; name one of its fields");
    }
    const std::string& name = parts_[next_++];
    field_ = here_->GetDescriptor()->FindFieldByName(name);
    if (field_ == nullptr) {
      return Error(absl::StrCat(
          "no field \"", name, "\" in ", here_->GetDescriptor()->name(),
          NearNames(name, FieldNames(*here_->GetDescriptor()))));
    }
    absl::StrAppend(&canonical_, canonical_.empty() ? "" : ".", name);
    return absl::OkStatus();
  }

  absl::Status EnterMessage() {
    if (field_->message_type() == nullptr) {
      return Error(absl::StrCat(field_->name(), " has no fields"));
    }
    here_ = here_->GetReflection()->MutableMessage(here_, field_);
    return absl::OkStatus();
  }

  // The only field of enumeration type that knows `value`, or nullptr.
  const FieldDescriptor* FieldThatTakes(absl::string_view value) const {
    if (field_->message_type() == nullptr || field_->is_repeated()) {
      return nullptr;
    }
    const FieldDescriptor* found = nullptr;
    for (int i = 0; i < field_->message_type()->field_count(); ++i) {
      const FieldDescriptor* field = field_->message_type()->field(i);
      if (field->enum_type() == nullptr || field->is_repeated() ||
          field->enum_type()->FindValueByName(std::string(value)) == nullptr) {
        continue;
      }
      if (found != nullptr) return nullptr;
      found = field;
    }
    return found;
  }

  absl::Status EnterElement() {
    if (field_->message_type() == nullptr) {
      return Error(absl::StrCat(field_->name(),
                                " is a list; set it whole, as [\"a\", \"b\"]"));
    }
    const int index = ElementIndex(parts_[next_]);
    if (index < 0) return NoSuchElement(parts_[next_]);
    here_ =
        here_->GetReflection()->MutableRepeatedMessage(here_, field_, index);
    absl::StrAppend(&canonical_, "[", index, "]");
    return absl::OkStatus();
  }

  // By name, by number, or the only one; takes the part of the path it used.
  int ElementIndex(const std::string& part) {
    const int size = here_->GetReflection()->FieldSize(*here_, field_);
    for (int i = 0; i < size; ++i) {
      if (NameOf(Element(i)) == part) return ++next_, i;
    }
    int number = -1;
    if (absl::SimpleAtoi(part, &number)) {
      return number >= 0 && number < size ? (++next_, number) : -1;
    }
    const bool is_field =
        field_->message_type()->FindFieldByName(part) != nullptr;
    return is_field && size == 1 ? 0 : -1;
  }

  const Message& Element(int index) const {
    return here_->GetReflection()->GetRepeatedMessage(*here_, field_, index);
  }

  absl::Status NoSuchElement(const std::string& part) const {
    const int size = here_->GetReflection()->FieldSize(*here_, field_);
    std::vector<std::string> names;
    for (int i = 0; i < size; ++i) {
      const std::string name = NameOf(Element(i));
      names.push_back(name.empty() ? absl::StrCat(i) : name);
    }
    if (size == 0) return Error(absl::StrCat("there is no ", field_->name()));
    return Error(absl::StrCat("no ", field_->name(), " \"", part, "\"",
                              NearNames(part, names)));
  }

  const std::string path_;
  std::vector<std::string> parts_;
  size_t next_ = 0;
  Message* here_;
  const FieldDescriptor* field_ = nullptr;
  std::string canonical_;
};

// A string may be given without quotes.
std::string ValueText(const FieldDescriptor& field, absl::string_view value) {
  const bool quoted =
      absl::StartsWith(value, "\"") || absl::StartsWith(value, "'");
  const bool list = field.is_repeated() && absl::StartsWith(value, "[");
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING || quoted || list) {
    return std::string(value);
  }
  return absl::StrCat("\"", absl::CEscape(value), "\"");
}

// Parsed on its own first, so that a value cannot reach any other field.
absl::Status SetField(absl::string_view assignment, absl::string_view value,
                      const FieldDescriptor& field, Message& owner) {
  std::unique_ptr<Message> parsed(owner.New());
  const std::string text =
      absl::StrCat(field.name(), ": ", ValueText(field, value));
  absl::Status status = ParseText(absl::StrCat("--set ", assignment), text,
                                  *parsed, /*locations=*/nullptr);
  if (!status.ok()) return status;
  std::vector<const FieldDescriptor*> fields;
  parsed->GetReflection()->ListFields(*parsed, &fields);
  if (fields.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set ", assignment, ": expected one value"));
  }
  owner.GetReflection()->ClearField(&owner, &field);
  owner.MergeFrom(*parsed);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ApplySet(absl::string_view assignment,
                                     Message& message) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  if (!absl::StrContains(assignment, "=") || halves.first.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set ", assignment, ": expected path=value"));
  }
  Walk walk(halves.first, message);
  absl::Status status = walk.Find();
  if (status.ok()) status = walk.FollowValue(halves.second);
  if (!status.ok()) return status;
  status = SetField(assignment, halves.second, walk.field(), walk.here());
  if (!status.ok()) return status;
  return walk.canonical();
}

}  // namespace sim
