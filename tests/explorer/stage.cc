#include "tests/explorer/stage.h"

#include <utility>

#include "virtqueue/chain.h"
#include "virtqueue/check.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_memory.h"

namespace virtqueue {
namespace {

constexpr uint64_t kMemoryBytes = 1 << 16;

uint16_t TableEntries(const Scene& scene) {
  return scene.indirect ? scene.descriptors() : uint16_t{0};
}

uint64_t TableBytes(const Scene& scene) {
  return uint64_t{scene.size} * TableEntries(scene) * kDescriptorBytes;
}

}  // namespace

Stage::Stage(const Scene& scene)
    : scene_(scene),
      memory_(*OwnedGuestMemory::Create(kMemoryBytes)),
      addrs_(AllocateRing(memory_, scene.format, scene.size)),
      requests_(memory_.Allocate(scene.size * sizeof(uint64_t), kCacheLine)),
      replies_(memory_.Allocate(scene.size * sizeof(uint64_t), kCacheLine)),
      tables_(memory_.Allocate(TableBytes(scene), kCacheLine)),
      places_(memory_.memory(), addrs_, scene.size,
              {.requests = requests_,
               .replies = replies_,
               .tables = tables_,
               .table_entries = TableEntries(scene)}) {
  auto driver = DriverQueue::Create(memory_.memory(), addrs_, DriverOptions());
  auto device = DeviceQueue::Create(memory_.memory(), addrs_, DeviceOptions());
  VSOCK_CHECK(driver.ok() && device.ok());
  for (uint32_t i = 0; i < scene_.before; ++i) GoRound(*driver, *device);
  driver_ = driver->Save();
  device_ = device->Save({});
}

DriverQueue Stage::MakeDriver() const {
  auto driver =
      DriverQueue::Restore(memory_.memory(), addrs_, DriverOptions(), driver_);
  VSOCK_CHECK(driver.ok());
  return *std::move(driver);
}

DeviceQueue Stage::MakeDevice() const {
  auto device =
      DeviceQueue::Restore(memory_.memory(), addrs_, DeviceOptions(), device_);
  VSOCK_CHECK(device.ok());
  return std::move(device->queue);
}

void Stage::GoRound(DriverQueue& driver, DeviceQueue& device) const {
  const DriverQueue::Buffer buffer[] = {{reply_at(0), sizeof(uint64_t)}};
  Chain chain;
  VSOCK_CHECK(driver.Add({}, buffer, 0) == DriverQueue::AddResult::kAdded);
  driver.Publish();
  VSOCK_CHECK(device.Pop(chain) == DeviceQueue::PopResult::kChain);
  device.Push(chain, 0);
  device.Publish();
  VSOCK_CHECK(driver.Collect().has_value());
}

DriverQueue::Options Stage::DriverOptions() const {
  return {.size = scene_.size,
          .event_idx = scene_.event_idx,
          .indirect = scene_.indirect,
          .in_order = scene_.in_order,
          .indirect_tables = tables_,
          .indirect_table_entries = TableEntries(scene_)};
}

DeviceQueue::Options Stage::DeviceOptions() const {
  return {.size = scene_.size,
          .event_idx = scene_.event_idx,
          .indirect = scene_.indirect,
          .in_order = scene_.in_order};
}

std::vector<uint64_t> Stage::InitialValues() const {
  std::vector<uint64_t> values;
  for (size_t i = 0; i < places_.size(); ++i) {
    values.push_back(places_.ValueInMemory(i));
  }
  return values;
}

SharedLe64& Stage::Word(GuestAddr at) const {
  return memory_.memory().Table<SharedLe64>(at, 1)->front();
}

}  // namespace virtqueue
