#include "sim/report_json.h"

#include <string>

#include "google/protobuf/util/json_util.h"
#include "sim/result.pb.h"
#include "virtqueue/check.h"

namespace sim {

std::string MessageJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  VSOCK_CHECK(
      google::protobuf::util::MessageToJsonString(message, &json, options)
          .ok());
  return json;
}

std::string ReportJson(const ScenarioResult& result) {
  return MessageJson(result);
}

}  // namespace sim
