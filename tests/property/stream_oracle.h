// stream_oracle.h: what one direction of a stream must deliver: the bytes that
// were accepted, all of them, once, in order. As simple as that can be.

#ifndef TESTS_PROPERTY_STREAM_ORACLE_H_
#define TESTS_PROPERTY_STREAM_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace vsock {

class StreamOracle {
 public:
  explicit StreamOracle(uint8_t salt) : next_(salt) {}

  // The next `len` bytes to send.
  std::vector<std::byte> Compose(uint32_t len) const {
    std::vector<std::byte> bytes;
    uint32_t next = next_;
    for (uint32_t i = 0; i < len; ++i) bytes.push_back(ByteOf(next++));
    return bytes;
  }

  // The first `len` of the bytes composed last were accepted.
  void Sent(uint32_t len) {
    for (uint32_t i = 0; i < len; ++i) under_way_.push_back(ByteOf(next_++));
  }

  // Whether these are the bytes that come next.
  bool Received(const std::vector<std::byte>& bytes) {
    for (const std::byte byte : bytes) {
      if (under_way_.empty() || under_way_.front() != byte) return false;
      under_way_.pop_front();
    }
    return true;
  }
  // The same where the bytes themselves are elided.
  bool Received(uint32_t len) {
    if (len > under_way_.size()) return false;
    under_way_.erase(under_way_.begin(), under_way_.begin() + len);
    return true;
  }

  size_t under_way() const { return under_way_.size(); }

 private:
  static std::byte ByteOf(uint32_t number) {
    return std::byte((number * 2654435761u) >> 24);
  }

  uint32_t next_;
  std::deque<std::byte> under_way_;
};

}  // namespace vsock

#endif  // TESTS_PROPERTY_STREAM_ORACLE_H_
