// traffic.h: the applications of one arm, made from its flows.

#ifndef SIM_TRAFFIC_H_
#define SIM_TRAFFIC_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/application.h"
#include "sim/conversation.h"
#include "sim/flow_book.h"
#include "sim/scenario.pb.h"
#include "sim/socket_layer.h"
#include "sim/work_pool.h"
#include "sim/world.h"
#include "vsock/units.h"

namespace sim {

class Traffic {
 public:
  // Opens every socket and starts every application. Errors: what the sockets
  // refuse (ports in use).
  static absl::StatusOr<std::unique_ptr<Traffic>> Create(World& world,
                                                         const Arm& arm);
  ~Traffic();

  // The run is over.
  void Finish();

  const std::deque<FlowBook>& books() const { return books_; }

 private:
  class Acceptor;
  struct StreamPair {
    Direction forward;
    Direction back;
  };
  struct FlowTasks {
    FlowTasks(FlowBook& book_of_flow, SocketLayer& layer_of_flow)
        : book(book_of_flow), layer(layer_of_flow) {}

    FlowBook& book;
    SocketLayer& layer;
    std::deque<StreamPair> pairs;            // by sender
    std::optional<WorkPool> pool;            // if its senders have one
    std::deque<WorkPool::Account> accounts;  // with it, by sender
  };

  explicit Traffic(World& world);

  void AddFlow(const Scenario::Flow& flow);
  void AddPool(const Scenario::Flow& flow, FlowTasks& tasks);
  // Ports that the scenario names come before those that a kernel picks, so
  // that it picks others.
  absl::Status OpenAll();
  absl::Status AddReceivers(FlowTasks& tasks);
  absl::Status AddSenders(FlowTasks& tasks);
  absl::Status AddListener(const Scenario::Flow& flow, FlowTasks& tasks);
  absl::Status AddDatagramReceivers(const Scenario::Flow& flow,
                                    FlowTasks& tasks);
  absl::Status AddSender(const Scenario::Flow& flow, uint32_t index,
                         FlowTasks& tasks);
  Application& AddApplication(SocketLayer& layer, Application::Options options);
  vsock::Instant StartOf(const Scenario::Flow& flow, const std::string& name);

  World& world_;
  std::deque<FlowBook> books_;
  std::deque<FlowTasks> flows_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::vector<std::unique_ptr<Application>> applications_;
};

}  // namespace sim

#endif  // SIM_TRAFFIC_H_
