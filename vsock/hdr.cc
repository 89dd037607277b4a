#include "vsock/hdr.h"

namespace vsock {

std::ostream& operator<<(std::ostream& out, Op op) {
  switch (op) {
    case Op::kInvalid:
      return out << "INVALID";
    case Op::kRequest:
      return out << "REQUEST";
    case Op::kResponse:
      return out << "RESPONSE";
    case Op::kRst:
      return out << "RST";
    case Op::kShutdown:
      return out << "SHUTDOWN";
    case Op::kRw:
      return out << "RW";
    case Op::kCreditUpdate:
      return out << "CREDIT_UPDATE";
    case Op::kCreditRequest:
      return out << "CREDIT_REQUEST";
  }
  return out << "op " << static_cast<uint16_t>(op);
}

}  // namespace vsock
