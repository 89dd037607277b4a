#include "tests/support/ring_view.h"

#include <algorithm>

namespace vsock {

uint64_t RingView::Read(uint64_t at, uint32_t bytes) const {
  const auto span = memory_.Slice(virtqueue::GuestAddr(at), bytes).value();
  uint64_t value = 0;
  for (uint32_t i = bytes; i > 0; --i) {
    value = value << 8 | static_cast<uint8_t>(span[i - 1]);
  }
  return value;
}

uint16_t RingView::AvailHead(uint16_t idx) const {
  return Read16(addrs_.avail.value() + 4 + 2 * (idx % size_));
}

RingView::Used RingView::UsedEntry(uint16_t idx) const {
  const uint64_t at = addrs_.used.value() + 4 + 8 * (idx % size_);
  return {static_cast<uint32_t>(Read(at, 4)),
          static_cast<uint32_t>(Read(at + 4, 4))};
}

std::vector<RingView::Buffer> RingView::Chain(uint16_t head) const {
  std::vector<Buffer> chain;
  uint64_t table = addrs_.desc.value();
  uint16_t index = head;
  for (;;) {
    const uint64_t at = table + 16 * index;
    const Buffer buffer = {Read(at, 8), static_cast<uint32_t>(Read(at + 8, 4)),
                           (Read16(at + 12) & 2) != 0};
    const uint16_t flags = Read16(at + 12);
    if ((flags & 4) != 0) {
      table = buffer.addr;
      index = 0;
      continue;
    }
    chain.push_back(buffer);
    if ((flags & 1) == 0) return chain;
    index = Read16(at + 14);
  }
}

std::vector<std::byte> RingView::Bytes(uint16_t head, size_t max) const {
  std::vector<std::byte> bytes;
  for (const Buffer& buffer : Chain(head)) {
    const size_t take = std::min<size_t>(buffer.len, max - bytes.size());
    if (take == 0) continue;
    const auto span = memory_.Slice(virtqueue::GuestAddr(buffer.addr),
                                    static_cast<uint32_t>(take));
    bytes.insert(bytes.end(), span->begin(), span->end());
  }
  return bytes;
}

}  // namespace vsock
