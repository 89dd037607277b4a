#include "sim/scenario_ranges.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "sim/problems.h"
#include "sim/scenario.pb.h"

namespace sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr uint64_t kMostBuffer = 1073741824;
constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMostPort = kMost32 - 1;
constexpr uint64_t kMostStreamCall = 16777216;
constexpr uint64_t kLongestUs = 1000000000;
constexpr uint64_t kLongestRunUs = 600000000;

constexpr Range kRanges[] = {
    {"warmup_us", 0, 10000000},
    {"duration_us", 1, kLongestRunUs},
    {"cooldown_us", 0, 10000000},
    {"replicates", 1, 10000},
    {"seed", 0, kMost64},
    {"cost.value", 0, kMost32},
    {"guest.cid", 3, kMost32 - 1},
    {"guest.vcpus", 1, 256},
    {"guest.ring.size", 2, 32768},
    {"guest.rx_buffer_bytes", 45, 65580},
    {"guest.kernel.wmem_max_bytes", 2304, kMostBuffer},
    {"guest.kernel.rmem_max_bytes", 2304, kMostBuffer},
    {"guest.kernel.wmem_default_bytes", 2304, kMostBuffer},
    {"guest.kernel.rmem_default_bytes", 2304, kMostBuffer},
    {"guest.kernel.stream_buffer_bytes", 128, kMost32},
    {"guest.kernel.stream_buffer_min_bytes", 128, kMost32},
    {"guest.kernel.stream_buffer_max_bytes", 128, kMost32},
    {"host.cpus", 1, 256},
    {"host.kernel.wmem_max_bytes", 2304, kMostBuffer},
    {"host.kernel.rmem_max_bytes", 2304, kMostBuffer},
    {"host.kernel.wmem_default_bytes", 2304, kMostBuffer},
    {"host.kernel.rmem_default_bytes", 2304, kMostBuffer},
    {"host.kernel.stream_buffer_bytes", 128, kMost32},
    {"host.kernel.stream_buffer_min_bytes", 128, kMost32},
    {"host.kernel.stream_buffer_max_bytes", 128, kMost32},
    {"device.packet_weight", 1, 65536},
    {"device.byte_weight", 1, kMostBuffer},
    {"virtio_net.queue_pairs", 1, 256},
    {"virtio_net.mtu", 68, 65535},
    {"virtio_net.qdisc_packets", 1, 1000000},
    {"virtio_net.tap_queue_packets", 1, 1000000},
    {"randomness.start_offset.max_us", 0, 10000000},
    {"randomness.wakeup_latency.low_percent", 1, 100},
    {"randomness.wakeup_latency.high_percent", 100, 10000},
    {"randomness.cost_jitter.low_percent", 1, 100},
    {"randomness.cost_jitter.high_percent", 100, 10000},
    {"randomness.interference.mean_interval_us", 100, 100000000},
    {"randomness.interference.mean_length_us", 1, 1000000},
    {"vmci.host_queue", 1, 65536},
    {"vmci.host_queue_bytes", 69633, kMostBuffer},
    {"flow.from.cid", 2, kMost32 - 1},
    {"flow.from.port", 0, kMostPort},
    {"flow.to.cid", 2, kMost32 - 1},
    {"flow.to.port", 0, kMostPort},
    {"flow.count", 1, 100000},
    {"flow.receiving_sockets", 1, 100000},
    {"flow.message_bytes", 0, kMostStreamCall},
    {"flow.buffer_bytes", 1, kMostBuffer},
    {"flow.send_buffer_bytes", 1, kMostBuffer},
    {"flow.receive_buffer_bytes", 1, kMostBuffer},
    {"flow.paced.interval_us", 1, kLongestUs},
    {"flow.request_response.request_bytes", 1, kMostStreamCall},
    {"flow.request_response.reply_bytes", 1, kMostStreamCall},
    {"flow.request_response.think_us", 0, kLongestUs},
    {"flow.request_response.work_ps_per_byte", 0, 1000000},
    {"flow.request_response.in_flight", 1, 1024},
    {"flow.request_response.work_threads", 0, 64},
    {"flow.replay.capture_flow", 0, kMost32},
    {"flow.replay.speed_up", 0, 1000000},
    {"flow.replay.message.gap_ns", 0, 1000000000000000},
    {"flow.replay.message.bytes", 1, 65536},
    {"flow.total_bytes", 1, uint64_t{1} << 62},
    {"flow.start_us", 0, kLongestRunUs},
    {"flow.stop_us", 0, kLongestRunUs + 20000000},
    {"flow.receiver.read_bytes", 1, kMostStreamCall},
    {"flow.receiver.sleep_us", 1, kLongestUs},
    {"unix.max_dgram_qlen", 0, 1000000},
};

class RangeWalk {
 public:
  explicit RangeWalk(Problems& problems) : problems_(problems) {}

  // `path` finds the place, `key` is the same without numbers of elements.
  void Visit(const Message& message, const std::string& path,
             const std::string& key) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string dot = key.empty() ? "" : ".";
      VisitField(message, *field, absl::StrCat(path, dot, field->name()),
                 absl::StrCat(key, dot, field->name()));
    }
  }

 private:
  void VisitField(const Message& message, const FieldDescriptor& field,
                  const std::string& path, const std::string& key) {
    const auto* reflection = message.GetReflection();
    if (field.message_type() == nullptr) {
      if (!field.is_repeated()) VisitValue(message, field, path, key);
    } else if (!field.is_repeated()) {
      Visit(reflection->GetMessage(message, &field), path, key);
    } else {
      for (int i = 0; i < reflection->FieldSize(message, &field); ++i) {
        Visit(reflection->GetRepeatedMessage(message, &field, i),
              absl::StrCat(path, "[", i, "]"), key);
      }
    }
  }

  void VisitValue(const Message& message, const FieldDescriptor& field,
                  const std::string& path, const std::string& key) {
    const auto* reflection = message.GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
      Judge(reflection->GetUInt32(message, &field), path, key);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      Judge(reflection->GetUInt64(message, &field), path, key);
    }
  }

  void Judge(uint64_t value, const std::string& path, const std::string& key) {
    for (const Range& range : kRanges) {
      if (range.path != key) continue;
      if (value >= range.least && value <= range.most) return;
      problems_.Add(path, absl::StrCat(value, " is not in ", range.least, "..",
                                       range.most));
    }
  }

  Problems& problems_;
};

}  // namespace

absl::Span<const Range> ScenarioRanges() { return kRanges; }

void CheckRanges(const Scenario& scenario, Problems& problems) {
  RangeWalk(problems).Visit(scenario, "", "");
}

}  // namespace sim
