#include "sim/traffic.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/machines.h"
#include "sim/program.h"
#include "sim/random.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

using vsock::Address;
using vsock::Cid;
using vsock::Instant;
using vsock::Nanos;
using vsock::Port;
using vsock::SocketId;

Side SideOf(const Scenario::Endpoint& end) {
  return Cid(end.cid()) == vsock::kCidHost ? Side::kHost : Side::kGuest;
}

}  // namespace

// Accepts a flow's connections and gives each a receiver of its own.
class Traffic::Acceptor final : public Task {
 public:
  Acceptor(Traffic& traffic, FlowTasks& tasks, SocketRef listener)
      : traffic_(traffic),
        tasks_(tasks),
        listener_(listener),
        chance_(machines().ChanceOf(absl::StrCat(flow().name(), ".acceptor"))) {
    machines().Wake(listener_.side, *this, chance_);
  }

  std::optional<Nanos> Run(Instant) override {
    absl::StatusOr<SocketId> child = tasks_.layer.Accept(listener_);
    if (!child.ok()) {
      const bool ready =
          tasks_.layer.Sleep(listener_, vsock::kAcceptable, *this, chance_);
      VSOCK_CHECK(!ready);
      return std::nullopt;
    }
    StartReceiver({listener_.side, *child});
    return tasks_.layer.Charge(listener_, {.syscalls = 1}, chance_);
  }

 private:
  Machines& machines() { return traffic_.world_.machines(); }
  const Scenario::Flow& flow() const { return tasks_.book.flow(); }

  void StartReceiver(SocketRef child) {
    const SocketLayer::Origin* origin =
        tasks_.layer.FindOrigin(SideOf(flow().from()), flow().type(),
                                tasks_.layer.PeerAddress(child).port);
    VSOCK_CHECK(origin != nullptr);
    StreamPair& pair = tasks_.pairs[origin->index];
    traffic_
        .AddApplication(
            tasks_.layer,
            {.name = absl::StrCat(flow().name(), ".reader.", origin->index),
             .socket = child,
             .type = Scenario::Flow::STREAM,
             .program = ReceiverProgram(flow()),
             .ends = {.sends = &pair.back, .receives = &pair.forward},
             .book = &tasks_.book})
        .Start();
  }

  Traffic& traffic_;
  FlowTasks& tasks_;
  const SocketRef listener_;
  Chance chance_;
};

absl::StatusOr<std::unique_ptr<Traffic>> Traffic::Create(World& world,
                                                         const Arm& arm) {
  std::unique_ptr<Traffic> traffic(new Traffic(world));
  for (const Scenario::Flow& flow : world.machines().scenario().flow()) {
    for (const std::string& name : arm.flow()) {
      if (name == flow.name()) traffic->AddFlow(flow);
    }
  }
  const absl::Status status = traffic->OpenAll();
  if (!status.ok()) return status;
  return traffic;
}

Traffic::Traffic(World& world) : world_(world) {}

Traffic::~Traffic() = default;

void Traffic::AddFlow(const Scenario::Flow& flow) {
  FlowBook& book = books_.emplace_back(flow, world_.machines().window());
  AddPool(flow, flows_.emplace_back(book, world_.layer(flow.transport())));
}

absl::Status Traffic::OpenAll() {
  absl::Status status;
  for (FlowTasks& tasks : flows_) status.Update(AddReceivers(tasks));
  for (const bool ephemeral : {false, true}) {
    for (FlowTasks& tasks : flows_) {
      const bool any_port = tasks.book.flow().from().port() == 0;
      if (any_port == ephemeral) status.Update(AddSenders(tasks));
    }
  }
  return status;
}

absl::Status Traffic::AddReceivers(FlowTasks& tasks) {
  const Scenario::Flow& flow = tasks.book.flow();
  if (flow.receiver().behaviour() == Scenario::Receiver::ABSENT) {
    return absl::OkStatus();
  }
  return flow.type() == Scenario::Flow::STREAM
             ? AddListener(flow, tasks)
             : AddDatagramReceivers(flow, tasks);
}

absl::Status Traffic::AddSenders(FlowTasks& tasks) {
  const Scenario::Flow& flow = tasks.book.flow();
  absl::Status status;
  for (uint32_t i = 0; i < flow.count() && status.ok(); ++i) {
    status = AddSender(flow, i, tasks);
  }
  return status;
}

void Traffic::AddPool(const Scenario::Flow& flow, FlowTasks& tasks) {
  const uint32_t threads = flow.request_response().work_threads();
  if (threads == 0) return;
  tasks.pool.emplace(
      world_.machines(),
      WorkPool::Options{.name = absl::StrCat(flow.name(), ".pool"),
                        .side = SideOf(flow.from()),
                        .threads = threads,
                        .book = &tasks.book});
  for (uint32_t i = 0; i < flow.count(); ++i) {
    tasks.accounts.emplace_back(*tasks.pool);
  }
}

absl::Status Traffic::AddListener(const Scenario::Flow& flow,
                                  FlowTasks& tasks) {
  const Side side = SideOf(flow.to());
  absl::StatusOr<SocketId> socket =
      tasks.layer.Open(side, flow, flow.to().port(), /*sends=*/false);
  if (!socket.ok()) return socket.status();
  const SocketRef listener = {side, *socket};
  const absl::Status status = tasks.layer.Listen(listener, flow.count());
  if (!status.ok()) return status;
  acceptors_.push_back(std::make_unique<Acceptor>(*this, tasks, listener));
  return absl::OkStatus();
}

absl::Status Traffic::AddDatagramReceivers(const Scenario::Flow& flow,
                                           FlowTasks& tasks) {
  const Side side = SideOf(flow.to());
  for (uint32_t i = 0; i < flow.receiving_sockets(); ++i) {
    absl::StatusOr<SocketId> socket =
        tasks.layer.Open(side, flow, flow.to().port() + i, /*sends=*/false);
    if (!socket.ok()) return socket.status();
    AddApplication(tasks.layer,
                   {.name = absl::StrCat(flow.name(), ".reader.", i),
                    .socket = {side, *socket},
                    .type = Scenario::Flow::DGRAM,
                    .program = ReceiverProgram(flow),
                    .book = &tasks.book,
                    .sender_side = SideOf(flow.from())})
        .Start();
  }
  return absl::OkStatus();
}

absl::Status Traffic::AddSender(const Scenario::Flow& flow, uint32_t index,
                                FlowTasks& tasks) {
  const Side side = SideOf(flow.from());
  const uint32_t port =
      flow.from().port() == 0 ? 0 : flow.from().port() + index;
  absl::StatusOr<SocketId> opened =
      tasks.layer.Open(side, flow, port, /*sends=*/true);
  if (!opened.ok()) return opened.status();
  const SocketRef socket = {side, *opened};
  const bool stream = flow.type() == Scenario::Flow::STREAM;
  StreamPair& pair = tasks.pairs.emplace_back();
  pair.forward.book = &tasks.book;
  pair.forward.index = pair.back.index = index;
  tasks.layer.Register(side, flow.type(), tasks.layer.LocalAddress(socket).port,
                       {&tasks.book, index});
  const uint32_t to_port =
      flow.to().port() + (stream ? 0 : index % flow.receiving_sockets());
  const std::string name = absl::StrCat(flow.name(), ".", index);
  WorkPool::Account* pool = tasks.pool ? &tasks.accounts[index] : nullptr;
  AddApplication(tasks.layer,
                 {.name = name,
                  .socket = socket,
                  .type = flow.type(),
                  .program = SenderProgram(flow, tasks.book, pool),
                  .ends = {.sends = &pair.forward, .receives = &pair.back},
                  .book = &tasks.book,
                  .is_sender = true,
                  .peer = Address{Cid(flow.to().cid()), Port(to_port)},
                  .connects = stream,
                  .pool = pool})
      .StartAt(StartOf(flow, name));
  return absl::OkStatus();
}

Application& Traffic::AddApplication(SocketLayer& layer,
                                     Application::Options options) {
  applications_.push_back(std::make_unique<Application>(
      world_.machines(), layer, std::move(options)));
  return *applications_.back();
}

Instant Traffic::StartOf(const Scenario::Flow& flow, const std::string& name) {
  const Machines& machines = world_.machines();
  const auto& offset = machines.scenario().randomness().start_offset();
  Instant start(static_cast<int64_t>(flow.start_us()) * 1000);
  if (!offset.enabled()) return start;
  Random random = machines.root().Fork("start_offset").Fork(name);
  return start +
         Nanos(random.Uniform(0, static_cast<int64_t>(offset.max_us()) * 1000));
}

void Traffic::Finish() {
  for (const auto& application : applications_) application->Finish();
}

}  // namespace sim
