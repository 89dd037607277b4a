#include "sim/traffic.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/program.h"
#include "virtqueue/check.h"

namespace sim {
namespace {

using vsock::Address;
using vsock::Cid;
using vsock::Instant;
using vsock::Nanos;
using vsock::Port;
using vsock::SocketId;
using vsock::Transport;

Side SideOf(const Scenario::Endpoint& end) {
  return Cid(end.cid()) == vsock::kCidHost ? Side::kHost : Side::kGuest;
}

vsock::Type TypeOf(const Scenario::Flow& flow) {
  return static_cast<vsock::Type>(flow.type());
}

absl::Status SetBuffers(Transport& transport, SocketId socket,
                        const Scenario::Flow& flow, bool sends) {
  if (!flow.has_buffer_bytes()) return absl::OkStatus();
  if (TypeOf(flow) == vsock::Type::kDgram) {
    return sends ? transport.SetSendBuffer(socket, flow.buffer_bytes())
                 : transport.SetReceiveBuffer(socket, flow.buffer_bytes());
  }
  vsock::StreamBufferSize size = transport.Find(socket)->buffer_size;
  size.size = flow.buffer_bytes();
  return transport.SetBufferSize(socket, size);
}

// Opens, sizes and binds; port 0 is any.
absl::StatusOr<SocketId> OpenSocket(Transport& transport,
                                    const Scenario::Flow& flow, uint32_t port,
                                    bool sends) {
  absl::StatusOr<SocketId> socket = transport.Open(TypeOf(flow));
  if (!socket.ok()) return socket.status();
  absl::Status status = SetBuffers(transport, *socket, flow, sends);
  if (!status.ok()) return status;
  status = transport.Bind(*socket, port == 0 ? vsock::kPortAny : Port(port));
  if (!status.ok()) return status;
  return socket;
}

}  // namespace

// Accepts a flow's connections and gives each a receiver of its own.
class Traffic::Acceptor final : public Task {
 public:
  Acceptor(Traffic& traffic, FlowTasks& tasks, SocketId listener)
      : traffic_(traffic),
        tasks_(tasks),
        listener_(listener),
        side_(SideOf(flow().to())),
        chance_(world().root(), absl::StrCat(flow().name(), ".acceptor"),
                world().scenario().randomness()) {
    world().Wake(side_, *this, chance_);
  }

  std::optional<Nanos> Run(Instant) override {
    absl::StatusOr<SocketId> child = world().sockets(side_).Accept(listener_);
    if (!child.ok()) {
      const bool ready =
          world().Sleep(side_, listener_, vsock::kAcceptable, *this, chance_);
      VSOCK_CHECK(!ready);
      return std::nullopt;
    }
    StartReceiver(*child);
    return world().Charge({.syscalls = 1}, chance_);
  }

 private:
  World& world() { return traffic_.world_; }
  const Scenario::Flow& flow() const { return tasks_.book.flow(); }

  void StartReceiver(SocketId child) {
    const Address peer = *world().sockets(side_).Find(child)->peer;
    const World::Origin* origin =
        world().FindOrigin(vsock::Type::kStream, peer);
    VSOCK_CHECK(origin != nullptr);
    StreamPair& pair = tasks_.pairs[origin->index];
    traffic_
        .AddApplication(
            {.name = absl::StrCat(flow().name(), ".reader.", origin->index),
             .side = side_,
             .socket = child,
             .type = vsock::Type::kStream,
             .program = ReceiverProgram(flow()),
             .ends = {.sends = &pair.back, .receives = &pair.forward}})
        .Start();
  }

  Traffic& traffic_;
  FlowTasks& tasks_;
  const SocketId listener_;
  const Side side_;
  Chance chance_;
};

absl::StatusOr<std::unique_ptr<Traffic>> Traffic::Create(World& world,
                                                         const Arm& arm) {
  std::unique_ptr<Traffic> traffic(new Traffic(world));
  for (const Scenario::Flow& flow : world.scenario().flow()) {
    bool listed = false;
    for (const std::string& name : arm.flow()) listed |= name == flow.name();
    if (!listed) continue;
    const absl::Status status = traffic->AddFlow(flow);
    if (!status.ok()) return status;
  }
  return traffic;
}

Traffic::Traffic(World& world) : world_(world) {}

Traffic::~Traffic() = default;

absl::Status Traffic::AddFlow(const Scenario::Flow& flow) {
  FlowBook& book = books_.emplace_back(flow, world_.window());
  FlowTasks& tasks = flows_.emplace_back(book);
  absl::Status status;
  if (flow.receiver().behaviour() != Scenario::Receiver::ABSENT) {
    status = TypeOf(flow) == vsock::Type::kStream ? AddListener(flow, tasks)
                                                  : AddDatagramReceivers(flow);
  }
  for (uint32_t i = 0; i < flow.count() && status.ok(); ++i) {
    status = AddSender(flow, i, tasks);
  }
  return status;
}

absl::Status Traffic::AddListener(const Scenario::Flow& flow,
                                  FlowTasks& tasks) {
  Transport& transport = world_.sockets(SideOf(flow.to()));
  absl::StatusOr<SocketId> listener =
      OpenSocket(transport, flow, flow.to().port(), /*sends=*/false);
  if (!listener.ok()) return listener.status();
  const absl::Status status = transport.Listen(*listener, flow.count());
  if (!status.ok()) return status;
  acceptors_.push_back(std::make_unique<Acceptor>(*this, tasks, *listener));
  return absl::OkStatus();
}

absl::Status Traffic::AddDatagramReceivers(const Scenario::Flow& flow) {
  const Side side = SideOf(flow.to());
  for (uint32_t i = 0; i < flow.receiving_sockets(); ++i) {
    absl::StatusOr<SocketId> socket = OpenSocket(
        world_.sockets(side), flow, flow.to().port() + i, /*sends=*/false);
    if (!socket.ok()) return socket.status();
    AddApplication({.name = absl::StrCat(flow.name(), ".reader.", i),
                    .side = side,
                    .socket = *socket,
                    .type = vsock::Type::kDgram,
                    .program = ReceiverProgram(flow)})
        .Start();
  }
  return absl::OkStatus();
}

absl::Status Traffic::AddSender(const Scenario::Flow& flow, uint32_t index,
                                FlowTasks& tasks) {
  const Side side = SideOf(flow.from());
  Transport& transport = world_.sockets(side);
  const uint32_t port =
      flow.from().port() == 0 ? 0 : flow.from().port() + index;
  absl::StatusOr<SocketId> socket =
      OpenSocket(transport, flow, port, /*sends=*/true);
  if (!socket.ok()) return socket.status();
  const bool stream = TypeOf(flow) == vsock::Type::kStream;
  StreamPair& pair = tasks.pairs.emplace_back();
  pair.forward.book = &tasks.book;
  pair.forward.index = pair.back.index = index;
  world_.Register(TypeOf(flow),
                  {transport.cid(), *transport.Find(*socket)->port},
                  {&tasks.book, index});
  const uint32_t to_port =
      flow.to().port() + (stream ? 0 : index % flow.receiving_sockets());
  const std::string name = absl::StrCat(flow.name(), ".", index);
  AddApplication({.name = name,
                  .side = side,
                  .socket = *socket,
                  .type = TypeOf(flow),
                  .program = SenderProgram(flow, tasks.book),
                  .ends = {.sends = &pair.forward, .receives = &pair.back},
                  .peer = Address{Cid(flow.to().cid()), Port(to_port)},
                  .connects = stream})
      .StartAt(StartOf(flow, name));
  return absl::OkStatus();
}

Application& Traffic::AddApplication(Application::Options options) {
  applications_.push_back(
      std::make_unique<Application>(world_, std::move(options)));
  return *applications_.back();
}

Instant Traffic::StartOf(const Scenario::Flow& flow, const std::string& name) {
  const auto& offset = world_.scenario().randomness().start_offset();
  Instant start(static_cast<int64_t>(flow.start_us()) * 1000);
  if (!offset.enabled()) return start;
  Random random = world_.root().Fork("start_offset").Fork(name);
  return start +
         Nanos(random.Uniform(0, static_cast<int64_t>(offset.max_us()) * 1000));
}

void Traffic::Finish() {
  for (const auto& application : applications_) application->Finish();
}

}  // namespace sim
