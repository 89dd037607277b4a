#include "tests/explorer/site.h"

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace virtqueue {

absl::string_view OrderText(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  VSOCK_CHECK(false);
}

std::string Site::name() const {
  return absl::StrCat(HalfText(half), ".",
                      kind == ActKind::kStore ? "store" : "load", ".",
                      PartName(part), ".", OrderText(order));
}

std::vector<std::memory_order> Site::Weaker() const {
  switch (order) {
    case std::memory_order_seq_cst:
      return {kind == ActKind::kStore ? std::memory_order_release
                                      : std::memory_order_acquire,
              std::memory_order_relaxed};
    case std::memory_order_acquire:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    case std::memory_order_relaxed:
    case std::memory_order_consume:
    case std::memory_order_acq_rel:
      return {};
  }
  VSOCK_CHECK(false);
}

std::string Weakened::text() const {
  return absl::StrCat(site.name(), " to ", OrderText(to),
                      word.empty() ? "" : " for ", word);
}

}  // namespace virtqueue
