// Tries sim/peers/vmci_sockets.h call by call: sizes, errors, the queue to the
// guest and the device's lock. All sources of chance are off.

#include "sim/peers/vmci_sockets.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sim/chance.h"
#include "sim/files.h"
#include "sim/machines.h"
#include "sim/platform_loader.h"
#include "sim/scenario_defaults.h"
#include "tests/support/errno_of.h"

namespace sim {
namespace {

using vsock::Address;
using vsock::Cid;
using vsock::ErrnoOf;
using vsock::Message;
using vsock::Nanos;
using vsock::Port;

constexpr Address kOnGuest{Cid(3), Port(10)};
constexpr Address kOnHost{vsock::kCidHost, Port(10)};

Scenario Quiet() {
  Scenario scenario;
  Scenario::Flow& flow = *scenario.add_flow();
  flow.set_name("f");
  flow.set_type(Scenario::Flow::DGRAM);
  flow.set_transport(Scenario::Flow::VMCI);
  Scenario::Randomness& chance = *scenario.mutable_randomness();
  chance.mutable_start_offset()->set_enabled(false);
  chance.mutable_run_queue_order()->set_enabled(false);
  chance.mutable_wakeup_latency()->set_enabled(false);
  chance.mutable_cost_jitter()->set_enabled(false);
  chance.mutable_interference()->set_enabled(false);
  FillDefaults(scenario);
  return scenario;
}

struct VmciContext {
  VmciContext()
      : scenario(Quiet()),
        machines(scenario,
                 *ReadPlatform(*DataPath("sim/platforms/linux_kvm.textproto")),
                 /*seed=*/1),
        chance(machines.ChanceOf("test")),
        layer(machines) {}

  SocketRef Open(Side side, uint32_t port = 0) {
    return {side, *layer.Open(side, scenario.flow(0), port, port == 0)};
  }
  // The whole call but its price.
  vsock::SendResult Send(SocketRef from, Address to, uint32_t bytes) {
    vsock::SendResult result = layer.BeginSend(from, {.len = bytes, .to = to});
    if (result.status.ok()) layer.EndSend(from);
    return result;
  }
  // Datagrams of that size until one is refused, or `most`.
  uint32_t SendUntilRefused(SocketRef from, uint32_t bytes, uint32_t most) {
    for (uint32_t sent = 0; sent < most; ++sent) {
      if (!Send(from, kOnGuest, bytes).status.ok()) return sent;
    }
    return most;
  }

  Scenario scenario;
  Machines machines;
  Chance chance;
  VmciSockets layer;
};

TEST(VmciSocketsTest, LargestDatagramHolds69608Bytes) {
  VmciContext vmci;
  const SocketRef receiver = vmci.Open(Side::kHost, 10);
  const SocketRef sender = vmci.Open(Side::kGuest);

  EXPECT_EQ(vmci.Send(sender, kOnHost, 69608).accepted, 69608u);
  EXPECT_EQ(vmci.layer.Receive(receiver, nullptr, 100000).bytes, 69608u);
  EXPECT_EQ(ErrnoOf(vmci.Send(sender, kOnHost, 69609).status), "EMSGSIZE");
}

TEST(VmciSocketsTest, ReceiverHearsWhoSent) {
  VmciContext vmci;
  const SocketRef receiver = vmci.Open(Side::kHost, 10);
  const SocketRef sender = vmci.Open(Side::kGuest);
  ASSERT_TRUE(vmci.Send(sender, kOnHost, 100).status.ok());

  EXPECT_EQ(vmci.layer.Receive(receiver, nullptr, 4096).from,
            vmci.layer.LocalAddress(sender));
}

TEST(VmciSocketsTest, TruncatedDatagramTellsItsWholeLength) {
  VmciContext vmci;
  const SocketRef receiver = vmci.Open(Side::kHost, 10);
  ASSERT_TRUE(vmci.Send(vmci.Open(Side::kGuest), kOnHost, 100).status.ok());

  const vsock::ReceiveResult result = vmci.layer.Receive(receiver, nullptr, 60);

  EXPECT_EQ(result.bytes, 60u);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.message_bytes, 100u);
}

// A thousand datagrams of 4 KiB would charge 8 MB; SO_SNDBUF holds 212992.
TEST(VmciSocketsTest, NothingIsChargedForSending) {
  VmciContext vmci;
  vmci.Open(Side::kHost, 10);
  const SocketRef sender = vmci.Open(Side::kGuest);

  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(vmci.Send(sender, kOnHost, 4096).blocked, vsock::Blocked::kNo);
  }

  EXPECT_TRUE(vmci.layer.IsReady(sender, vsock::kWritable));
}

// 8448 bytes are charged for each, of 212992; the test is before the charge.
TEST(VmciSocketsTest, ReceiveBufferHolds26DatagramsOf4KiBAndDropsInSilence) {
  VmciContext vmci;
  const SocketRef receiver = vmci.Open(Side::kHost, 10);
  const SocketRef sender = vmci.Open(Side::kGuest);

  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(vmci.Send(sender, kOnHost, 4096).status.ok());
  }

  int read = 0;
  while (!vmci.layer.Receive(receiver, nullptr, 4096).would_block) ++read;
  EXPECT_EQ(read, 26);
  EXPECT_TRUE(vmci.layer.Check().ok()) << vmci.layer.Check();
}

TEST(VmciSocketsTest, QueueToTheGuestHolds256SmallDatagrams) {
  VmciContext vmci;
  const SocketRef sender = vmci.Open(Side::kHost);

  EXPECT_EQ(vmci.SendUntilRefused(sender, 1, 1000), 256u);
  EXPECT_EQ(vmci.layer.queued_for_guest(), 256u);
  EXPECT_EQ(ErrnoOf(vmci.Send(sender, kOnGuest, 1).status), "ENOBUFS");
  EXPECT_TRUE(vmci.layer.Check().ok()) << vmci.layer.Check();
}

// 4120 bytes each, and the sum must stay below 139264.
TEST(VmciSocketsTest, QueueToTheGuestHolds33DatagramsOf4KiB) {
  VmciContext vmci;

  EXPECT_EQ(vmci.SendUntilRefused(vmci.Open(Side::kHost), 4096, 1000), 33u);
}

// Two of 69632 bytes would be 139264.
TEST(VmciSocketsTest, QueueToTheGuestHoldsOneOfTheLargest) {
  VmciContext vmci;

  EXPECT_EQ(vmci.SendUntilRefused(vmci.Open(Side::kHost), 69608, 10), 1u);
}

TEST(VmciSocketsTest, QueueToTheGuestEmptiesByInterrupt) {
  VmciContext vmci;
  const SocketRef receiver = vmci.Open(Side::kGuest, 10);
  const SocketRef sender = vmci.Open(Side::kHost);
  ASSERT_EQ(vmci.SendUntilRefused(sender, 1, 256), 256u);

  EXPECT_EQ(vmci.layer.FinishCall(sender, {}, vmci.chance), Nanos(750));
  vmci.machines.loop().RunUntil(vsock::Instant(1'000'000));

  EXPECT_EQ(vmci.layer.queued_for_guest(), 0u);
  EXPECT_EQ(vmci.layer.Receive(receiver, nullptr, 4096).bytes, 1u);
  EXPECT_EQ(vmci.layer.Counters().work.interrupts, 1u);
}

// A send of 4 KiB, in nanoseconds: system call 450, three buffers of 200, bytes
// 4096 + 2 x 4120 at 0.085, hypercall 1500, the host's part 1000. Two buffers,
// the host's bytes, the hypercall and the host's part are under the lock.
TEST(VmciSocketsTest, SecondSenderSpinsWhileTheFirstIsInTheHost) {
  VmciContext vmci;
  const SocketRef first = vmci.Open(Side::kGuest);
  const SocketRef second = vmci.Open(Side::kGuest);
  const Message message = {.len = 4096, .to = kOnHost};

  const Nanos alone = vmci.layer.Charge(
      first, vmci.layer.BeginSend(first, message).work, vmci.chance);
  const Nanos behind = vmci.layer.Charge(
      second, vmci.layer.BeginSend(second, message).work, vmci.chance);

  EXPECT_EQ(alone, Nanos(4598));
  EXPECT_EQ(vmci.layer.spun(), Nanos(3600));
  EXPECT_EQ(behind, Nanos(4598 + 3600));
}

TEST(VmciSocketsTest, StreamsAreNotSupported) {
  VmciContext vmci;
  Scenario::Flow stream = vmci.scenario.flow(0);
  stream.set_type(Scenario::Flow::STREAM);

  EXPECT_EQ(ErrnoOf(vmci.layer.Open(Side::kGuest, stream, 10, true)),
            "EOPNOTSUPP");
  EXPECT_EQ(ErrnoOf(vmci.layer.Listen(vmci.Open(Side::kHost), 1)),
            "EOPNOTSUPP");
}

}  // namespace
}  // namespace sim
