#include "sim/metric.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "sim/result.pb.h"

namespace sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr absl::string_view kLatencyPrefix = "latency.";

bool IsNumber(const FieldDescriptor& field) {
  return !field.is_repeated() &&
         (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
          field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
          field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64);
}

void AddNumbers(const Descriptor& type, absl::string_view prefix,
                std::vector<std::string>& names) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (IsNumber(*type.field(i))) {
      names.push_back(absl::StrCat(prefix, type.field(i)->name()));
    }
  }
}

absl::optional<double> Number(const Message& message, absl::string_view name) {
  const FieldDescriptor* field =
      message.GetDescriptor()->FindFieldByName(std::string(name));
  const auto* reflection = message.GetReflection();
  if (field == nullptr || !IsNumber(*field) ||
      !reflection->HasField(message, field)) {
    return absl::nullopt;
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    return reflection->GetDouble(message, field);
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    return reflection->GetUInt32(message, field);
  }
  return static_cast<double>(reflection->GetUInt64(message, field));
}

double DropSum(const FlowResult& flow, bool packets) {
  uint64_t sum = 0;
  for (const Drop& drop : flow.drop()) {
    sum += packets ? drop.packets() : drop.payload_bytes();
  }
  return static_cast<double>(sum);
}

absl::optional<double> FlowNumber(const FlowResult& flow,
                                  absl::string_view metric) {
  if (metric == "drop.packets") return DropSum(flow, /*packets=*/true);
  if (metric == "drop.payload_bytes") return DropSum(flow, /*packets=*/false);
  if (absl::ConsumePrefix(&metric, kLatencyPrefix)) {
    return Number(flow.latency(), metric);
  }
  return Number(flow, metric);
}

}  // namespace

std::vector<std::string> FlowMetricNames() {
  std::vector<std::string> names = {kShareOfUnstressed};
  AddNumbers(*FlowResult::descriptor(), "", names);
  names.push_back("drop.packets");
  names.push_back("drop.payload_bytes");
  AddNumbers(*Latency::descriptor(), kLatencyPrefix, names);
  return names;
}

std::vector<std::string> TotalsMetricNames() {
  std::vector<std::string> names;
  AddNumbers(*Totals::descriptor(), "", names);
  return names;
}

const FlowResult* FindFlow(const RunResult& run, absl::string_view name) {
  for (const FlowResult& flow : run.flow()) {
    if (flow.name() == name) return &flow;
  }
  return nullptr;
}

absl::optional<double> MetricValue(const RunResult& run,
                                   absl::string_view subject,
                                   absl::string_view metric) {
  if (subject == kTotals) return Number(run.totals(), metric);
  const FlowResult* flow = FindFlow(run, subject);
  if (flow == nullptr) return absl::nullopt;
  return FlowNumber(*flow, metric);
}

}  // namespace sim
