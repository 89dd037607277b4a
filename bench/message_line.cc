#include "bench/message_line.h"

#include <cstring>

#include "absl/types/span.h"
#include "virtqueue/check.h"
#include "virtqueue/ring_format.h"

namespace bench {
namespace {

using virtqueue::DeviceQueue;
using virtqueue::DriverQueue;
using virtqueue::GuestAddr;
using virtqueue::GuestMemory;
using virtqueue::kCacheLine;

constexpr uint16_t kRingSize = 64;
constexpr uint32_t kHeaderBytes = PayloadPool::kHeaderBytes;
constexpr int kWritten = 0x5a;

}  // namespace

MessageLine::MessageLine(const Shape& shape, PayloadPool& pool)
    : shape_(shape),
      pool_(pool),
      addrs_(LaySplitRing(pool.memory().Allocate(
                              virtqueue::SplitRingBytes(kRingSize), kCacheLine),
                          kRingSize)),
      driver_(MakeDriver()),
      device_(*DeviceQueue::Create(
          pool.memory().memory(), addrs_,
          {.size = kRingSize, .indirect = shape.indirect})),
      frame_(pool.memory().Allocate(pool.message_bytes(), kCacheLine)),
      buffers_(shape.descriptors) {
  driver_.DisableNotifications();
  device_.DisableNotifications();
  WriteFrame();
  SetLengths();
}

DriverQueue MessageLine::MakeDriver() {
  DriverQueue::Options options = {.size = kRingSize,
                                  .indirect = shape_.indirect};
  if (shape_.indirect) {
    options.indirect_table_entries = shape_.descriptors;
    options.indirect_tables =
        pool_.memory().Allocate(options.IndirectBytes(), kCacheLine);
  }
  return *DriverQueue::Create(pool_.memory().memory(), addrs_, options);
}

// Before it is first used, as the pool is.
void MessageLine::WriteFrame() {
  const uint32_t bytes = pool_.message_bytes();
  const auto frame = pool_.memory().memory().TrySlice(frame_, bytes);
  std::memset(frame.data(), kWritten, bytes);
}

// What is of one message as of another: the lengths, and where the first buffer
// is unless that is in the pool.
void MessageLine::SetLengths() {
  const bool whole = buffers_.size() == 1;
  buffers_[0] = {frame_, whole ? pool_.message_bytes() : kHeaderBytes};
  const auto parts = static_cast<uint32_t>(buffers_.size() - 1);
  const uint64_t bytes = pool_.payload_bytes();
  for (uint32_t i = 0; i < parts; ++i) {
    buffers_[1 + i].len =
        static_cast<uint32_t>(bytes * (i + 1) / parts - bytes * i / parts);
  }
}

uint32_t MessageLine::Carry() {
  LayOut(pool_.Next());
  VSOCK_CHECK(driver_.Add(buffers_, {}, /*token=*/0) ==
              DriverQueue::AddResult::kAdded);
  driver_.Publish();
  VSOCK_CHECK(device_.Pop(chain_) == DeviceQueue::PopResult::kChain);
  VSOCK_CHECK(chain_.CopyFrom(0, pool_.received()) == pool_.message_bytes());
  const uint32_t descriptors = chain_.descriptors();
  device_.Push(chain_, /*written=*/0);
  device_.Publish();
  VSOCK_CHECK(driver_.Collect().has_value());
  return descriptors;
}

void MessageLine::LayOut(GuestAddr message) {
  if (shape_.copied) return CopyBehindHeader(message + kHeaderBytes);
  if (buffers_.size() == 1) {
    buffers_[0].addr = message;
    return;
  }
  GuestAddr at = message + kHeaderBytes;
  for (DriverQueue::Buffer& part : absl::MakeSpan(buffers_).subspan(1)) {
    part.addr = at;
    at = at + part.len;
  }
}

void MessageLine::CopyBehindHeader(GuestAddr payload) {
  const GuestMemory& memory = pool_.memory().memory();
  const uint32_t bytes = pool_.payload_bytes();
  std::memcpy(memory.TrySlice(frame_ + kHeaderBytes, bytes).data(),
              memory.TrySlice(payload, bytes).data(), bytes);
}

}  // namespace bench
