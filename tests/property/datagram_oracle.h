// datagram_oracle.h: what datagrams from one address to another may deliver: of
// those sent some, each whole, at most once, in order.

#ifndef TESTS_PROPERTY_DATAGRAM_ORACLE_H_
#define TESTS_PROPERTY_DATAGRAM_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "vsock/units.h"

namespace vsock {

class DatagramOracle {
 public:
  // `kept`: the bytes of the payload that the run really holds.
  struct Datagram {
    uint32_t len;
    std::vector<std::byte> kept;
    friend bool operator==(const Datagram&, const Datagram&) = default;
  };

  void Sent(Address from, Address to, Datagram datagram) {
    flows_[{from, to}].push_back(std::move(datagram));
  }

  // Whether this may come next; those before it are lost for good.
  bool Received(Address from, Address to, const Datagram& datagram) {
    std::deque<Datagram>& flow = flows_[{from, to}];
    while (!flow.empty()) {
      const bool found = flow.front() == datagram;
      flow.pop_front();
      if (found) return true;
    }
    return false;
  }

 private:
  std::map<std::pair<Address, Address>, std::deque<Datagram>> flows_;
};

}  // namespace vsock

#endif  // TESTS_PROPERTY_DATAGRAM_ORACLE_H_
