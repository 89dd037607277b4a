// text_message.h: a protobuf text file that remembers where each value stood.
//
// Trust: the text is a user's. Every error names file, line and column.

#ifndef SIM_TEXT_MESSAGE_H_
#define SIM_TEXT_MESSAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace sim {

// The names of a message's fields, in the order of the schema.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

// Parses `text` into `message`; `where` goes before each error, as
// "where:line:column: ", or as "where: " if no locations are wanted.
absl::Status ParseText(absl::string_view where, absl::string_view text,
                       google::protobuf::Message& message,
                       google::protobuf::TextFormat::ParseInfoTree* locations);

// The whole of a file. The error names it.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Where the values of one parsed file came from.
class TextSource {
 public:
  explicit TextSource(std::string file);

  // Reads and parses the file.
  absl::Status ReadInto(google::protobuf::Message& message);

  // `path`, as in "flow[1].to.port", did not come from the file but from
  // elsewhere, for example "--set flow[1].to.port=0".
  void NoteOverride(absl::string_view path, absl::string_view origin);

  bool IsOverridden(absl::string_view path) const;

  // "file:line:column" of the value at `path` in a message of type `root`, or
  // of the nearest enclosing one that stands in the file, or its override.
  std::string Where(const google::protobuf::Descriptor& root,
                    absl::string_view path) const;

  const std::string& file() const { return file_; }

 private:
  struct Override {
    std::string path;
    std::string origin;
  };

  std::string file_;
  std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> locations_;
  std::vector<Override> overrides_;
};

}  // namespace sim

#endif  // SIM_TEXT_MESSAGE_H_
