#include "sim/costs.h"

#include "google/protobuf/descriptor.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

using google::protobuf::FieldDescriptor;

const FieldDescriptor& FieldOf(absl::string_view name) {
  const FieldDescriptor* field =
      Platform::descriptor()->FindFieldByName(std::string(name));
  VSOCK_CHECK(field != nullptr && field->message_type() == Cost::descriptor());
  return *field;
}

}  // namespace

std::vector<std::string> CostNames() {
  std::vector<std::string> names;
  for (int i = 0; i < Platform::descriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *Platform::descriptor()->field(i);
    if (field.message_type() == Cost::descriptor()) {
      names.push_back(field.name());
    }
  }
  return names;
}

const Cost& CostOf(const Platform& platform, absl::string_view name) {
  return static_cast<const Cost&>(
      platform.GetReflection()->GetMessage(platform, &FieldOf(name)));
}

Cost& MutableCostOf(Platform& platform, absl::string_view name) {
  return static_cast<Cost&>(
      *platform.GetReflection()->MutableMessage(&platform, &FieldOf(name)));
}

}  // namespace sim
