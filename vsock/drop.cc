#include "vsock/drop.h"

namespace vsock {

absl::string_view DropReasonName(DropReason reason) {
  switch (reason) {
    case DropReason::kReceiveBufferFull:
      return "receive_buffer_full";
    case DropReason::kNoSocket:
      return "no_socket";
    case DropReason::kRxBufferTooSmall:
      return "rx_buffer_too_small";
    case DropReason::kWrongCid:
      return "wrong_cid";
    case DropReason::kNotNegotiated:
      return "not_negotiated";
    case DropReason::kPeerMismatch:
      return "peer_mismatch";
    case DropReason::kShutDown:
      return "shut_down";
    case DropReason::kMalformed:
      return "malformed";
    case DropReason::kNoMemory:
      return "no_memory";
    case DropReason::kSocketClosed:
      return "socket_closed";
  }
  return "unknown";
}

}  // namespace vsock
