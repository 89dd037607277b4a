#include "sim/scenario_defaults.h"

#include <algorithm>
#include <cstdint>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint32_t kReadBytes = 65536;

// What the schema's default= says.
void SetToDefault(Message& message, const FieldDescriptor& field) {
  const Reflection* set = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return set->SetUInt32(&message, &field, field.default_value_uint32());
    case FieldDescriptor::CPPTYPE_UINT64:
      return set->SetUInt64(&message, &field, field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_BOOL:
      return set->SetBool(&message, &field, field.default_value_bool());
    case FieldDescriptor::CPPTYPE_ENUM:
      return set->SetEnum(&message, &field, field.default_value_enum());
    case FieldDescriptor::CPPTYPE_STRING:
      return set->SetString(&message, &field, field.default_value_string());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set->SetDouble(&message, &field, field.default_value_double());
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

void FillMessage(Message& message);

void FillRepeated(Message& message, const FieldDescriptor& field) {
  const Reflection* reflection = message.GetReflection();
  if (field.message_type() == nullptr) return;
  for (int i = 0; i < reflection->FieldSize(message, &field); ++i) {
    FillMessage(*reflection->MutableRepeatedMessage(&message, &field, i));
  }
}

// A message that is one of several alternatives is not made up.
void FillField(Message& message, const FieldDescriptor& field) {
  const Reflection* reflection = message.GetReflection();
  const bool present = reflection->HasField(message, &field);
  if (field.message_type() != nullptr) {
    if (present || field.containing_oneof() == nullptr) {
      FillMessage(*reflection->MutableMessage(&message, &field));
    }
  } else if (!present && field.has_default_value()) {
    SetToDefault(message, field);
  }
}

void FillMessage(Message& message) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    field.is_repeated() ? FillRepeated(message, field)
                        : FillField(message, field);
  }
}

bool IsMeasured(const Scenario::Flow& flow) { return flow.measured(); }

void FillMeasured(Scenario& scenario) {
  auto& flows = *scenario.mutable_flow();
  if (std::any_of(flows.begin(), flows.end(), IsMeasured)) return;
  for (Scenario::Flow& flow : flows) flow.set_measured(true);
}

// Load is there before and after what is measured.
void FillTimes(const Scenario& scenario, Scenario::Flow& flow) {
  const uint64_t window_end = scenario.warmup_us() + scenario.duration_us();
  const bool measured = flow.measured();
  if (!flow.has_start_us()) {
    flow.set_start_us(measured ? scenario.warmup_us() / 2 : 0);
  }
  if (!flow.has_stop_us()) {
    flow.set_stop_us(measured ? window_end
                              : window_end + scenario.cooldown_us());
  }
}

void FillReceiver(Scenario::Flow& flow) {
  if (flow.receiver().has_read_bytes()) return;
  const bool slow = flow.receiver().behaviour() == Scenario::Receiver::SLOW;
  const uint32_t message = std::max(flow.message_bytes(), 1u);
  const bool datagram = flow.type() == Scenario::Flow::DGRAM;
  flow.mutable_receiver()->set_read_bytes(
      slow ? message : std::max(datagram ? message : 1u, kReadBytes));
}

void FillFlow(const Scenario& scenario, Scenario::Flow& flow) {
  if (flow.workload_case() == Scenario::Flow::WORKLOAD_NOT_SET) {
    flow.mutable_bulk();
  }
  const bool datagram = flow.type() == Scenario::Flow::DGRAM;
  if (datagram && flow.has_type() && !flow.has_receiving_sockets()) {
    flow.set_receiving_sockets(std::max(flow.count(), 1u));
  }
  FillReceiver(flow);
  FillTimes(scenario, flow);
}

Arm& AddArm(Scenario& scenario, const char* name) {
  Arm& arm = *scenario.add_arm();
  arm.set_name(name);
  return arm;
}

void FillArms(Scenario& scenario) {
  if (scenario.arm_size() > 0) return;
  const auto& flows = scenario.flow();
  if (!std::all_of(flows.begin(), flows.end(), IsMeasured)) {
    Arm& alone = AddArm(scenario, "alone");
    for (const Scenario::Flow& flow : flows) {
      if (flow.measured()) alone.add_flow(flow.name());
    }
  }
  Arm& together = AddArm(scenario, "together");
  for (const Scenario::Flow& flow : flows) together.add_flow(flow.name());
}

void FillProposal(Scenario::Proposal& proposal) {
  if (proposal.has_charge()) return;
  if (proposal.name() == "linux-2023") {
    proposal.set_charge(Scenario::Proposal::TRUESIZE);
  } else if (proposal.name() == "linux-2026") {
    proposal.set_charge(Scenario::Proposal::PAYLOAD);
  }
}

void FillNamesOfArms(Scenario& scenario) {
  for (Arm& arm : *scenario.mutable_arm()) {
    if (!arm.has_title()) arm.set_title(arm.name());
  }
  if (!scenario.has_unstressed_arm()) {
    scenario.set_unstressed_arm(scenario.arm(0).name());
  }
  for (Expect& expect : *scenario.mutable_expect()) {
    if (!expect.has_arm()) {
      expect.set_arm(scenario.arm(scenario.arm_size() - 1).name());
    }
  }
}

}  // namespace

void FillDefaults(Scenario& scenario) {
  FillMessage(scenario);
  FillMeasured(scenario);
  for (Scenario::Flow& flow : *scenario.mutable_flow()) {
    FillFlow(scenario, flow);
  }
  FillProposal(*scenario.mutable_proposal());
  FillArms(scenario);
  FillNamesOfArms(scenario);
}

}  // namespace sim
