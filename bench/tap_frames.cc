#include "bench/tap_frames.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace bench {
namespace {

constexpr size_t kPoolBytes = 1 << 20;

size_t PoolBytes(uint32_t frames, uint32_t payload_bytes) {
  return std::max<size_t>(kPoolBytes / payload_bytes, frames) * payload_bytes;
}

// Fills the pool so that a payload in the wrong place shows.
std::vector<std::byte> MakePool(size_t bytes) {
  std::vector<std::byte> pool(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    pool[i] = static_cast<std::byte>(i * 2654435761u >> 16);
  }
  return pool;
}

}  // namespace

TapFrames::TapFrames(FrameShape shape, uint32_t frames, uint32_t payload_bytes)
    : shape_(shape),
      payload_bytes_(payload_bytes),
      pool_(MakePool(PoolBytes(frames, payload_bytes))),
      frames_(frames * (shape == FrameShape::kContiguous ? frame_bytes()
                                                         : kHeaderBytes)) {
  parts_.reserve(frames * parts_per_frame());
}

void TapFrames::Compose(uint32_t frames) {
  parts_.clear();
  for (uint32_t frame = 0; frame < frames; ++frame) {
    if (shape_ == FrameShape::kContiguous) {
      AddContiguous(frame);
    } else {
      AddGathered(frame);
    }
  }
}

std::byte* TapFrames::NextPayload() {
  std::byte* const payload = &pool_[next_payload_];
  next_payload_ = (next_payload_ + payload_bytes_) % pool_.size();
  return payload;
}

void TapFrames::AddContiguous(uint32_t frame) {
  std::byte* const at = &frames_[frame * frame_bytes()];
  const uint32_t length =
      htonl(static_cast<uint32_t>(frame_bytes() - kLengthBytes));
  std::memcpy(at, &length, kLengthBytes);
  std::memcpy(at + kHeaderBytes, NextPayload(), payload_bytes_);
  parts_.push_back({at, frame_bytes()});
}

void TapFrames::AddGathered(uint32_t frame) {
  std::byte* const at = &frames_[frame * kHeaderBytes];
  const uint32_t length =
      htonl(static_cast<uint32_t>(frame_bytes() - kLengthBytes));
  std::memcpy(at, &length, kLengthBytes);
  parts_.push_back({at, kLengthBytes});
  parts_.push_back({at + kLengthBytes, kEthernetBytes});
  parts_.push_back({at + kLengthBytes + kEthernetBytes, kIpBytes});
  parts_.push_back({NextPayload(), payload_bytes_});
}

}  // namespace bench
