#include "sim/wake_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sim {

void WakeTree::Resize(uint32_t count) {
  VSOCK_CHECK(count <= Entry::kMaxSlots);
  const size_t leaves = std::bit_ceil(std::max<size_t>(count, 1));
  std::vector<Entry> nodes(2 * leaves);
  std::copy_n(nodes_.begin() + static_cast<ptrdiff_t>(leaves_),
              std::min(leaves, leaves_),
              nodes.begin() + static_cast<ptrdiff_t>(leaves));
  for (size_t node = leaves - 1; node >= 1; --node) {
    nodes[node] = Lesser(nodes[2 * node], nodes[2 * node + 1]);
  }
  leaves_ = leaves;
  contender_shift_ = std::max(std::countr_zero(leaves) - kContenderDepth, 0);
  nodes_ = std::move(nodes);
}

}  // namespace sim
