#include "tests/property/walk.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/errno_of.h"
#include "vsock/policy/proposal.h"
#include "vsock/queue.h"

namespace vsock {
namespace {

constexpr size_t kMaxFlows = 5;
constexpr uint32_t kFirstDatagramPort = 30;
constexpr uint32_t kDatagramPorts = 4;

size_t IndexOf(Side side) { return side == Side::kGuest ? 0 : 1; }
Side SideOf(bool guest) { return guest ? Side::kGuest : Side::kHost; }

}  // namespace

Walk::Walk(uint64_t seed, virtqueue::RingFormat format)
    : random_(seed), pair_(DrawOptions(format)) {
  for (const Side side : {Side::kGuest, Side::kHost}) {
    listeners_[IndexOf(side)] = Listen(pair_, side, kTestPort, 3);
    for (int i = 0; i < 2; ++i) datagrams_.push_back(MakeDatagramUser(side));
  }
}

StreamBufferSize Walk::DrawBuffer() {
  return {.size = random_.OneIn(2) ? Draw(512, 4000) : Draw(4000, 200000)};
}

VsockPair::Options Walk::DrawOptions(virtqueue::RingFormat format) {
  VsockPair::Options options = VsockPair::Defaults();
  Driver::Options& driver = options.guest.driver;
  driver.ring_format = format;
  driver.ring_size = static_cast<uint16_t>(
      format == virtqueue::RingFormat::kSplit ? 2u << Draw(0, 2) : Draw(2, 8));
  driver.rx_buffer_bytes = random_.OneIn(3) ? Draw(45, 300) : Draw(301, 4140);
  driver.event_idx = random_.OneIn(2);
  driver.indirect = random_.OneIn(2);
  driver.in_order = random_.OneIn(4);
  real_ = !random_.OneIn(4);
  short_memory_ = real_ && random_.OneIn(8);
  options.guest.payload = options.host.payload =
      real_ ? PayloadMode::kReal : PayloadMode::kElided;
  options.guest.payload_bytes = options.host.payload_bytes =
      short_memory_ ? Draw(100000, 300000) : 8 << 20;
  options.packet_weight = random_.OneIn(2) ? Draw(1, 5) : 256;
  const Proposal& proposal = random_.OneIn(2) ? kLinux2023 : kLinux2026;
  options.guest.transport.proposal = proposal;
  options.host.transport.proposal = proposal;
  options.guest.transport.stream_buffer = DrawBuffer();
  options.host.transport.stream_buffer = DrawBuffer();
  return options;
}

void Walk::Run() {
  for (int i = 0; i < kMoves && !::testing::Test::HasFailure(); ++i) Move();
  ReadEverything();
  ExpectNothingUnderWay();
  CloseEverything();
  ExpectNothingLeft();
}

void Walk::Move() {
  const uint32_t what = Draw(0, 99);
  if (what < 4 && flows_.size() < kMaxFlows) return OpenStream();
  if (what < 8) return AcceptStreams(SideOf(random_.OneIn(2)));
  if (what < 40) return MoveStream();
  if (what < 60) return MoveDatagram();
  if (what == 60) {
    pair_.WakeSpuriously(kAllWorkers[Draw(0, 3)]);
    return;
  }
  if (what == 61) return ResetQueues();
  pair_.TakeUp();
  const uint32_t steps = Draw(1, 12);
  for (uint32_t i = 0; i < steps; ++i) StepAWorker();
  WakeSleepers();
}

void Walk::StepAWorker() {
  const uint32_t first = Draw(0, 3);
  for (uint32_t i = 0; i < kAllWorkers.size(); ++i) {
    const Worker worker = kAllWorkers[(first + i) % kAllWorkers.size()];
    if (!pair_.HasWork(worker)) continue;
    pair_.Step(worker);
    return;
  }
}

void Walk::ResetQueues() {
  switch (Draw(0, 2)) {
    case 0:
      return pair_.ResetQueue(Queue::kTx);
    case 1:
      return pair_.ResetQueue(Queue::kRx);
    default:
      return pair_.ResetDevice();
  }
}

void Walk::WakeSleepers() {
  for (const Side side : {Side::kGuest, Side::kHost}) {
    Transport* sockets = &pair_.sockets(side);
    sockets->TakeWakes([&](const Wake& wake) {
      const auto wakes = [&](const auto& end) {
        return end.sockets == sockets && end.id == wake.socket;
      };
      for (const auto& flow : flows_) {
        for (StreamUser* user : {&flow->client, &flow->server}) {
          if (wakes(user->end)) user->asleep = false;
        }
      }
      for (DatagramUser& user : datagrams_) {
        if (wakes(user.end)) user.asleep = false;
      }
    });
  }
}

// Streams.

void Walk::OpenStream() {
  const Side side = SideOf(random_.OneIn(2));
  const auto salt = static_cast<uint8_t>(random_.Next());
  auto flow = std::make_unique<Flow>(
      Flow{.client = {{}, StreamOracle(salt)},
           .server = {{}, StreamOracle(static_cast<uint8_t>(salt + 1))}});
  flow->client.end = BeginConnect(pair_, side);
  flows_.push_back(std::move(flow));
}

void Walk::AcceptStreams(Side side) {
  Transport& sockets = pair_.sockets(side);
  while (true) {
    const absl::StatusOr<SocketId> child =
        sockets.Accept(listeners_[IndexOf(side)]);
    if (!child.ok()) return;
    const Address peer = *sockets.Find(*child)->peer;
    const auto flow =
        std::find_if(flows_.begin(), flows_.end(), [&](const auto& candidate) {
          const End& client = candidate->client.end;
          return !candidate->accepted && !client.gone() &&
                 client.sockets->cid() == peer.cid &&
                 client.socket().port == peer.port;
        });
    if (flow == flows_.end()) {  // its client is gone already
      EXPECT_TRUE(sockets.Close(*child, pair_.now()).ok());
      continue;
    }
    (*flow)->server.end = {&sockets, *child};
    (*flow)->accepted = true;
  }
}

Walk::StreamUser& Walk::PeerOf(Flow& flow, const StreamUser& user) {
  return &user == &flow.client ? flow.server : flow.client;
}

Walk::StreamUser* Walk::PickStreamUser(Flow** flow) {
  if (flows_.empty()) return nullptr;
  *flow = flows_[Draw(0, static_cast<uint32_t>(flows_.size()) - 1)].get();
  const bool client = random_.OneIn(2) || !(*flow)->accepted;
  StreamUser& user = client ? (*flow)->client : (*flow)->server;
  return user.closed || user.asleep ? nullptr : &user;
}

void Walk::MoveStream() {
  Flow* flow = nullptr;
  StreamUser* user = PickStreamUser(&flow);
  if (user == nullptr) return;
  const uint32_t what = Draw(0, 99);
  if (what < 45) return SendOnStream(*user);
  if (what < 85) return ReadFromStream(*flow, *user, Draw(1, 20000));
  if (what < 88) return ShutDownStream(*user);
  if (what < 90) return CloseStream(*user);
  if (what < 92) return ResizeStream(*flow, *user);
  if (what < 94) {
    EXPECT_TRUE(
        user->end.sockets->SetLowWater(user->end.id, Draw(1, 128)).ok());
    return;
  }
  SleepOnStream(*flow, *user);
}

void Walk::SendOnStream(StreamUser& user) {
  const uint32_t len = random_.OneIn(3) ? Draw(1, 200) : Draw(1, 12000);
  const std::vector<std::byte> bytes = user.sent.Compose(len);
  const SendResult result =
      user.end.sockets->Send(user.end.id, {.data = bytes.data(), .len = len});
  user.sent.Sent(result.accepted);
  EXPECT_TRUE(result.status.ok() || result.accepted == 0);
}

void Walk::ReadFromStream(Flow& flow, StreamUser& user, uint32_t max) {
  std::vector<std::byte> bytes(max);
  const ReceiveResult result =
      user.end.sockets->Receive(user.end.id, bytes.data(), max);
  bytes.resize(result.bytes);
  StreamOracle& sent = PeerOf(flow, user).sent;
  EXPECT_TRUE(real_ ? sent.Received(bytes) : sent.Received(result.bytes))
      << "stream bytes lost, doubled or out of order";
  if (ErrnoOf(result.status) == "ENOBUFS") {
    EXPECT_TRUE(MayReset(flow)) << "an honest sender was reset";
  }
}

void Walk::ShutDownStream(StreamUser& user) {
  const uint32_t hints = Draw(1, 3);
  if (!user.end.ShutDown(hints).ok()) return;
  user.stopped_reading |= (hints & kShutdownReceive) != 0;
}

void Walk::CloseStream(StreamUser& user) {
  Close(pair_, user.end);
  user.closed = true;
}

void Walk::ResizeStream(Flow& flow, StreamUser& user) {
  const StreamBufferSize size = DrawBuffer();
  flow.shrunk |= size.size < user.end.socket().buffer_size.size;
  EXPECT_TRUE(user.end.sockets->SetBufferSize(user.end.id, size).ok());
}

// A reader first takes what there is: one that sleeps for more than the rest of
// a packet, while its sender waits for that packet, would sleep for good.
void Walk::SleepOnStream(Flow& flow, StreamUser& user) {
  uint32_t events = kWritable;
  if (random_.OneIn(2)) {
    events = kReadable;
    if (user.end.socket().connection->state() !=
        Connection::State::kConnecting) {
      ReadFromStream(flow, user, 300000);
    }
  }
  user.asleep = !user.end.sockets->WaitFor(user.end.id, events);
}

// Datagrams.

Walk::DatagramUser Walk::MakeDatagramUser(Side side) {
  DatagramUser user = {.side = side, .end = OpenDatagram(pair_, side)};
  const Port port(kFirstDatagramPort + Draw(0, kDatagramPorts - 1));
  (void)user.end.sockets->Bind(user.end.id, port);  // or later, by itself
  if (random_.OneIn(2)) {
    EXPECT_TRUE(
        user.end.sockets->SetSendBuffer(user.end.id, Draw(0, 20000)).ok());
    EXPECT_TRUE(
        user.end.sockets->SetReceiveBuffer(user.end.id, Draw(0, 20000)).ok());
  }
  return user;
}

void Walk::MoveDatagram() {
  DatagramUser& user =
      datagrams_[Draw(0, static_cast<uint32_t>(datagrams_.size()) - 1)];
  if (user.asleep) return;
  const uint32_t what = Draw(0, 99);
  if (what < 55) return SendDatagram(user);
  if (what < 92)
    return ReadDatagram(user, random_.OneIn(4) ? Draw(0, 99) : 70000);
  if (what < 95) return ReplaceDatagramUser(user);
  user.asleep = !user.end.sockets->WaitFor(
      user.end.id, random_.OneIn(2) ? kReadable : kWritable);
}

void Walk::SendDatagram(DatagramUser& user) {
  const Port port(kFirstDatagramPort + Draw(0, kDatagramPorts - 1));
  const Address to = pair_.address(Other(user.side), port);
  const uint32_t len = random_.OneIn(8) ? Draw(0, 65536) : Draw(0, 3000);
  const auto stamp = static_cast<uint32_t>(random_.Next());
  std::vector<std::byte> bytes = Pattern(len, stamp);
  const SendResult result = user.end.sockets->Send(
      user.end.id, {.data = bytes.data(), .len = len, .to = to});
  if (!result.status.ok()) {
    EXPECT_TRUE(short_memory_) << result.status;
    return;
  }
  if (result.blocked != Blocked::kNo) return;
  bytes.resize(
      KeptBytes(real_ ? PayloadMode::kReal : PayloadMode::kElided, len));
  datagram_oracle_.Sent(user.end.address(), to, {len, std::move(bytes)});
}

void Walk::ReadDatagram(DatagramUser& user, uint32_t max) {
  std::vector<std::byte> bytes(max);
  const ReceiveResult result =
      user.end.sockets->Receive(user.end.id, bytes.data(), max);
  if (result.would_block || result.truncated) return;
  bytes.resize(KeptBytes(real_ ? PayloadMode::kReal : PayloadMode::kElided,
                         result.bytes));
  EXPECT_TRUE(
      datagram_oracle_.Received(result.from, user.end.address(),
                                {result.message_bytes, std::move(bytes)}))
      << "a datagram that was not sent, or not so, or twice, or too late";
}

void Walk::ReplaceDatagramUser(DatagramUser& user) {
  EXPECT_TRUE(user.end.sockets->Close(user.end.id, pair_.now()).ok());
  user = MakeDatagramUser(user.side);
}

// The end.

void Walk::ReadEverything() {
  for (uint64_t before = ~uint64_t{0};;) {
    pair_.Run();
    AcceptStreams(Side::kGuest);
    AcceptStreams(Side::kHost);
    for (const auto& flow : flows_) {
      for (StreamUser* user : {&flow->client, &flow->server}) {
        if (user->closed || user->end.sockets == nullptr) continue;
        ReadFromStream(*flow, *user, 300000);
      }
    }
    for (DatagramUser& user : datagrams_) ReadDatagram(user, 70000);
    const uint64_t reads = pair_.guest_sockets().counters().reads +
                           pair_.host_sockets().counters().reads;
    if (reads == std::exchange(before, reads)) return;
  }
}

void Walk::ExpectNothingUnderWay() {
  for (const auto& flow : flows_) {
    ExpectDelivered(*flow, flow->client, flow->server);
    ExpectDelivered(*flow, flow->server, flow->client);
  }
}

// Whoever went on reading has everything, also of a peer that closed.
void Walk::ExpectDelivered(const Flow& flow, const StreamUser& from,
                           const StreamUser& to) {
  if (!flow.accepted || MayReset(flow)) return;
  if (to.closed || to.stopped_reading) return;
  EXPECT_EQ(from.sent.under_way(), 0u) << "stream bytes did not arrive";
}

void Walk::CloseEverything() {
  for (const auto& flow : flows_) {
    for (StreamUser* user : {&flow->client, &flow->server}) {
      if (!user->closed && user->end.sockets != nullptr) CloseStream(*user);
    }
  }
  for (const DatagramUser& user : datagrams_) {
    EXPECT_TRUE(user.end.sockets->Close(user.end.id, pair_.now()).ok());
  }
  for (const Side side : {Side::kGuest, Side::kHost}) {
    EXPECT_TRUE(
        pair_.sockets(side).Close(listeners_[IndexOf(side)], pair_.now()).ok());
  }
  pair_.Run();
}

void Walk::ExpectNothingLeft() {
  EXPECT_EQ(pair_.guest_sockets().table().size(), 0u);
  EXPECT_EQ(pair_.host_sockets().table().size(), 0u);
  EXPECT_EQ(pair_.guest().pool().live(), 0u);
  EXPECT_EQ(pair_.host().pool().live(), 0u);
}

}  // namespace vsock
