#include "sim/report_csv.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "sim/metric.h"
#include "sim/result.pb.h"
#include "sim/scenario_names.h"

namespace sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

struct Cell {
  std::string name;
  std::string value;
};
using Row = std::vector<Cell>;

std::string ScalarText(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  if (!reflection->HasField(message, &field)) return "";
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return reflection->GetString(message, &field);
  }
  std::string text;
  TextFormat::PrintFieldValueToString(message, &field, /*index=*/-1, &text);
  return text;
}

// Every single value in `message` and below. Lists have no place in a row.
void AddScalars(const Message& message, const std::string& prefix, Row& row) {
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string name = absl::StrCat(prefix, field.name());
    if (field.is_repeated()) continue;
    if (field.message_type() == nullptr) {
      row.push_back({name, ScalarText(message, field)});
    } else {
      AddScalars(message.GetReflection()->GetMessage(message, &field),
                 name + ".", row);
    }
  }
}

// A message as in a text file, on one line.
std::string OneLine(const Message& message) {
  TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return std::string(absl::StripTrailingAsciiWhitespace(text));
}

// The scenario's own costs, which are a list.
std::string CostsText(const Scenario& scenario) {
  std::vector<std::string> costs;
  for (const Scenario::CostOverride& cost : scenario.cost()) {
    costs.push_back(OneLine(cost));
  }
  return absl::StrJoin(costs, "; ");
}

// The flows that run beside `flow` in its arm; recorded messages are left out.
std::string CompanyText(const Scenario& scenario, const RunResult& run,
                        const FlowResult& flow) {
  std::vector<std::string> company;
  for (const FlowResult& other : run.flow()) {
    const Scenario::Flow* asked = FindFlow(scenario, other.name());
    if (other.name() == flow.name() || asked == nullptr) continue;
    Scenario::Flow brief = *asked;
    if (brief.has_replay()) brief.mutable_replay()->clear_message();
    company.push_back(OneLine(brief));
  }
  return absl::StrJoin(company, "; ");
}

std::string NumberText(absl::optional<double> value) {
  return value.has_value() ? absl::StrFormat("%.15g", *value) : "";
}

// "receive_buffer_full=12 no_socket=3", in packets.
std::string DropsText(const FlowResult& flow) {
  std::vector<std::string> drops;
  for (const Drop& drop : flow.drop()) {
    drops.push_back(absl::StrCat(drop.cause(), "=", drop.packets()));
  }
  return absl::StrJoin(drops, " ");
}

void AddNumbers(const RunResult& run, const FlowResult& flow, Row& row) {
  for (const std::string& metric : FlowMetricNames()) {
    if (metric == kShareOfUnstressed) continue;  // takes two runs
    row.push_back({metric, NumberText(MetricValue(run, flow.name(), metric))});
  }
  row.push_back({"drop.by_cause", DropsText(flow)});
  for (const std::string& metric : TotalsMetricNames()) {
    row.push_back({absl::StrCat(kTotals, ".", metric),
                   NumberText(MetricValue(run, kTotals, metric))});
  }
}

Row MakeRow(const ScenarioResult& result, const RunResult& run,
            const FlowResult& flow) {
  const Scenario::Flow* asked = FindFlow(result.scenario(), flow.name());
  Row row = {{"version", result.version()}};
  AddScalars(result.scenario(), "scenario.", row);
  row.push_back({"scenario.cost", CostsText(result.scenario())});
  row.push_back({"arm", run.arm()});
  row.push_back({"arm.beside", CompanyText(result.scenario(), run, flow)});
  row.push_back({"replicate", absl::StrCat(run.replicate())});
  row.push_back({"replicate_seed", absl::StrCat(run.seed())});
  AddScalars(asked != nullptr ? *asked : Scenario::Flow(), "flow.", row);
  AddNumbers(run, flow, row);
  row.push_back({"replay", result.replay()});
  return row;
}

std::string Quoted(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string Line(const Row& row, std::string Cell::*part) {
  return absl::StrCat(absl::StrJoin(row, ",",
                                    [part](std::string* out, const Cell& cell) {
                                      absl::StrAppend(out, Quoted(cell.*part));
                                    }),
                      "\n");
}

}  // namespace

std::string ReportCsv(const ScenarioResult& result) {
  const Row columns = MakeRow(result, RunResult(), FlowResult());
  std::string csv = Line(columns, &Cell::name);
  for (const RunResult& run : result.run()) {
    for (const FlowResult& flow : run.flow()) {
      absl::StrAppend(&csv, Line(MakeRow(result, run, flow), &Cell::value));
    }
  }
  return csv;
}

}  // namespace sim
