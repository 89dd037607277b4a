#include "tests/explorer/act.h"

namespace virtqueue {

absl::string_view HalfText(HalfName half) {
  return half == HalfName::kDriver ? "driver" : "device";
}

bool IsPrivate(const Act& act) {
  if (act.kind == ActKind::kRemark) return true;
  return act.kind == ActKind::kStore && act.order != std::memory_order_seq_cst;
}

}  // namespace virtqueue
