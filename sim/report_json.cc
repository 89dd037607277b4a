#include "sim/report_json.h"

#include <string>

#include "google/protobuf/util/json_util.h"
#include "sim/result.pb.h"
#include "virtqueue/check.h"

namespace sim {

std::string ReportJson(const ScenarioResult& result) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  VSOCK_CHECK(
      google::protobuf::util::MessageToJsonString(result, &json, options).ok());
  return json;
}

}  // namespace sim
