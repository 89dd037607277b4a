#include "vsock/vhost_user/front_end.h"

#include "absl/types/span.h"
#include "vsock/vhost_user/unix_socket.h"

namespace vsock::vhost_user {

absl::Status FrontEnd::OnReadable() {
  while (true) {
    const size_t want =
        kHeaderBytes + (header_.has_value() ? header_->size : 0);
    const absl::StatusOr<bool> whole = Fill(want);
    if (!whole.ok()) return whole.status();
    if (!*whole) return absl::OkStatus();
    if (header_.has_value()) return HandleMessage();
    const absl::StatusOr<Header> header =
        ParseHeader(absl::MakeConstSpan(bytes_).first(kHeaderBytes));
    if (!header.ok()) return header.status();
    header_ = *header;
  }
}

absl::StatusOr<bool> FrontEnd::Fill(size_t want) {
  while (filled_ < want) {
    const Moved moved =
        ReadWithFiles(connection_.get(),
                      absl::MakeSpan(bytes_).subspan(filled_, want - filled_),
                      kMaxRegions, files_);
    if (!moved.status.ok()) return moved.status;
    if (moved.would_block) return false;
    if (moved.ended) {
      return filled_ == 0
                 ? absl::OutOfRangeError("the front end has disconnected")
                 : absl::InvalidArgumentError(
                       "vhost-user: a message cut short");
    }
    filled_ += moved.bytes;
  }
  return true;
}

absl::Status FrontEnd::HandleMessage() {
  const Header header = *header_;
  const absl::StatusOr<Message> message = ParseMessage(
      header, absl::MakeConstSpan(bytes_).subspan(kHeaderBytes, header.size),
      files_.size());
  if (!message.ok()) return message.status();
  ++messages_;
  header_.reset();
  filled_ = 0;
  const absl::StatusOr<std::vector<std::byte>> answer =
      backend_.Handle(*message, std::exchange(files_, {}));
  if (!answer.ok()) return answer.status();
  if (answer->empty()) return absl::OkStatus();
  const Moved moved = WriteSome(connection_.get(), *answer);
  if (!moved.status.ok()) return moved.status;
  if (moved.bytes != answer->size()) {
    return absl::UnavailableError("the front end takes no answer");
  }
  return absl::OkStatus();
}

}  // namespace vsock::vhost_user
