#include "sim/peers/chain_shape.h"

#include "sim/cost_model.h"
#include "virtqueue/check.h"
#include "vsock/work.h"

namespace sim {
namespace {

using vsock::Nanos;

constexpr uint32_t kHeaderBytes = 44;         // virtio_vsock_hdr, 5.10.6
constexpr uint32_t kMeasuredDescriptors = 2;  // of the worker's price
constexpr int64_t kPsPerNs = 1000;

}  // namespace

ChainCost PriceChain(const Platform& platform, const ChainShape& shape) {
  VSOCK_CHECK(shape.descriptors > 0);
  const CostModel costs(platform);
  const uint32_t written = shape.descriptors + (shape.indirect ? 1 : 0);
  const uint32_t further = shape.descriptors > kMeasuredDescriptors
                               ? shape.descriptors - kMeasuredDescriptors
                               : 0;
  const auto descriptors = [&costs](uint32_t count) {
    return costs.Price(Step::kGuestWorker, {.descriptors = count});
  };
  const int64_t join_ps =
      shape.joined ? int64_t{shape.payload_bytes} * platform.user_copy().mode()
                   : 0;
  const vsock::Work carried = {
      .bytes_copied = kHeaderBytes + shape.payload_bytes,
      .packets = 1,
      .allocations = 1};
  return {.driver = descriptors(written + 1) + Nanos(join_ps / kPsPerNs),
          .device =
              costs.Price(Step::kVhostWorker, carried) + descriptors(further)};
}

}  // namespace sim
