// conversation.h: what both ends of a stream, or the sender of a datagram, know
// of the messages on their way; and the bytes of real payloads.
//
// Streams keep no message boundaries: the sender notes where each message ends
// and when its call began, the receiver looks up what it has passed. Datagrams
// may be lost, so each carries the same in its own first bytes, its stamp.

#ifndef SIM_CONVERSATION_H_
#define SIM_CONVERSATION_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/types/span.h"
#include "sim/flow_book.h"
#include "vsock/packet.h"
#include "vsock/units.h"

namespace sim {

// One direction between sender `index` of a flow and its receiver.
struct Direction {
  struct Message {
    uint64_t end;  // bytes of the stream up to its end
    vsock::Instant started;
  };

  FlowBook* book = nullptr;  // null: replies, which are not counted
  uint32_t index = 0;
  uint32_t messages = 0;  // sent
  uint64_t sent = 0;      // bytes
  uint64_t received = 0;  // bytes
  std::deque<Message> under_way;
};

// First bytes of a datagram.
struct Stamp {
  vsock::Instant started;
  uint32_t index;     // of the sender in its flow
  uint32_t sequence;  // of the message
};
static_assert(sizeof(Stamp) == vsock::kStampBytes, "kept of each payload");

// Bytes [at, at + bytes.size()) of the stream of bytes named by `key`.
void FillPattern(uint64_t key, uint64_t at, absl::Span<std::byte> bytes);
bool MatchesPattern(uint64_t key, uint64_t at,
                    absl::Span<const std::byte> bytes);

}  // namespace sim

#endif  // SIM_CONVERSATION_H_
