#include "sim/conversation.h"

namespace sim {
namespace {

std::byte PatternAt(uint64_t key, uint64_t at) {
  const uint64_t mixed = (at + key) * 0x9e3779b97f4a7c15;
  return static_cast<std::byte>(mixed >> 56);
}

}  // namespace

void FillPattern(uint64_t key, uint64_t at, absl::Span<std::byte> bytes) {
  for (std::byte& byte : bytes) byte = PatternAt(key, at++);
}

bool MatchesPattern(uint64_t key, uint64_t at,
                    absl::Span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    if (byte != PatternAt(key, at++)) return false;
  }
  return true;
}

}  // namespace sim
