// sleepers.h: which task sleeps on which socket.

#ifndef SIM_SLEEPERS_H_
#define SIM_SLEEPERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/chance.h"
#include "sim/task.h"
#include "vsock/packet.h"

namespace sim {

// By index of the socket, the lower half of its id.
class Sleepers {
 public:
  struct Sleeper {
    Task* task = nullptr;
    Chance* chance = nullptr;
  };

  void Set(vsock::SocketId socket, Task& task, Chance& chance) {
    const size_t index = static_cast<uint32_t>(socket.value());
    if (index >= sleepers_.size()) sleepers_.resize(index + 1);
    sleepers_[index] = {&task, &chance};
  }

  const Sleeper& Of(vsock::SocketId socket) const {
    return sleepers_[static_cast<uint32_t>(socket.value())];
  }

 private:
  std::vector<Sleeper> sleepers_;
};

}  // namespace sim

#endif  // SIM_SLEEPERS_H_
