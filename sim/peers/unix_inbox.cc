#include "sim/peers/unix_inbox.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace sim {

using vsock::Instant;

void UnixInbox::Expect(const UnixPiece& piece) {
  ++expected_;
  charge_ += piece.charge;
}

void UnixInbox::Push(UnixBuffer buffer, Instant now) {
  VSOCK_CHECK(expected_ > 0);
  --expected_;
  ++pushed_;
  bytes_in_ += buffer.piece.bytes;
  queue_.push_back(std::move(buffer));
  passage_.Observe(now, pushed_, pushed_ - queue_.size());
}

void UnixInbox::Forget(const UnixPiece& piece) {
  VSOCK_CHECK(expected_ > 0);
  --expected_;
  charge_ -= piece.charge;
}

UnixInbox::Extent UnixInbox::FirstBuffer(uint32_t max) const {
  if (queue_.empty()) return {};
  return {.bytes = std::min(max, queue_.front().left()), .buffers = 1};
}

UnixInbox::Extent UnixInbox::Everything(uint32_t max) const {
  Extent extent;
  for (const UnixBuffer& buffer : queue_) {
    if (extent.bytes == max) break;
    extent.bytes += std::min(max - extent.bytes, buffer.left());
    ++extent.buffers;
  }
  return extent;
}

UnixInbox::Taken UnixInbox::Take(std::byte* out, uint32_t max, Instant now) {
  VSOCK_CHECK(!queue_.empty());
  const UnixBuffer& buffer = queue_.front();
  const uint32_t bytes = std::min(max, buffer.left());
  if (out != nullptr && buffer.taken < buffer.kept.size()) {
    const size_t kept =
        std::min<size_t>(bytes, buffer.kept.size() - buffer.taken);
    std::copy_n(buffer.kept.begin() + buffer.taken, kept, out);
  }
  bytes_read_ += bytes;
  return Advance(bytes, now);
}

UnixInbox::Taken UnixInbox::DropFirst(Instant now) {
  VSOCK_CHECK(!queue_.empty());
  const uint32_t bytes = queue_.front().left();
  bytes_dropped_ += bytes;
  return Advance(bytes, now);
}

UnixInbox::Taken UnixInbox::Advance(uint32_t bytes, Instant now) {
  UnixBuffer& buffer = queue_.front();
  buffer.taken += bytes;
  const Taken taken = {.bytes = bytes,
                       .piece = buffer.piece,
                       .writer = buffer.writer,
                       .finished = buffer.left() == 0};
  if (taken.finished) {
    charge_ -= taken.piece.charge;
    queue_.pop_front();
    passage_.Observe(now, pushed_, pushed_ - queue_.size());
  }
  return taken;
}

absl::Status UnixInbox::Check(Instant now) const {
  uint64_t there = 0;
  for (const UnixBuffer& buffer : queue_) there += buffer.left();
  if (bytes_in_ != bytes_read_ + bytes_dropped_ + there) {
    return absl::FailedPreconditionError(absl::StrCat(
        "AF_UNIX: of ", bytes_in_, " bytes that came, ", bytes_read_,
        " were read, ", bytes_dropped_, " dropped, ", there, " are there"));
  }
  return passage_.Check(now);
}

}  // namespace sim
