#include "tests/real_guest/model_packets.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/real_guest/ports.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "tests/support/wire_log.h"
#include "virtqueue/check.h"
#include "vsock/hdr.h"
#include "vsock/transport.h"
#include "vsock/units.h"
#include "vsock/vhost_user/service.h"
#include "vsock/vhost_user/services.h"
#include "vsock/vhost_user/sockets.h"

namespace vsock::real_guest {
namespace {

using vhost_user::ParseServices;
using vhost_user::Services;
using vhost_user::Sockets;

constexpr Nanos kTick{1'000'000};

// What Linux 6.1 posts for rx, and what it does when it closes a connection
// that has ended.
VsockPair::Options LikeLinux() {
  VsockPair::Options options = VsockPair::Defaults();
  options.guest.driver.rx_buffer_bytes = 3776;
  options.guest.transport.closing_resets_again = true;
  return options;
}

std::string Describe(const VsockHdr& hdr) {
  return absl::StrCat("op ", uint16_t{hdr.op}, " len ", uint32_t{hdr.len},
                      " flags ", uint32_t{hdr.flags}, " buf_alloc ",
                      uint32_t{hdr.buf_alloc}, " fwd_cnt ",
                      uint32_t{hdr.fwd_cnt});
}

// A guest with one application, which does nothing before all has come to rest.
class Model {
 public:
  Model()
      : pair_(LikeLinux()),
        sockets_(pair_.host_sockets()),
        services_(*ParseServices(kServices)) {
    services_.Begin(sockets_, pair_.now());
    pair_.RecordWire();
  }
  ~Model() { services_.End(); }

  void Connect(uint32_t port) {
    client_ = BeginConnect(pair_, Side::kGuest, Port(port));
    Settle();
  }
  // What does not fit waits for the reader.
  void Send(size_t bytes) {
    while (bytes > 0) {
      const SendResult sent = client_.Send(static_cast<uint32_t>(bytes));
      VSOCK_CHECK(sent.status.ok());
      bytes -= sent.accepted;
      if (sent.accepted == 0) pair_.Advance(kTick);
      Settle();
    }
  }
  size_t Read(size_t bytes) {
    const size_t got = client_.ReadLength(static_cast<uint32_t>(bytes));
    Settle();
    return got;
  }
  void SetLowWater(size_t bytes) {
    VSOCK_CHECK(
        client_.sockets->SetLowWater(client_.id, static_cast<uint32_t>(bytes))
            .ok());
    Settle();
  }
  void ShutDownSend() {
    VSOCK_CHECK(client_.ShutDown(kShutdownSend).ok());
    Settle();
  }
  // And waits until the reader has come to the end.
  void Close() {
    vsock::Close(pair_, client_);
    do {
      Settle();
      pair_.Advance(kTick);
    } while (!client_.gone());
  }

  std::vector<std::string> Packets() {
    std::vector<std::string> packets;
    for (const WirePacket& packet : pair_.wire().From(/*guest=*/true)) {
      packets.push_back(Describe(packet.hdr));
    }
    return packets;
  }

 private:
  void Settle() {
    size_t before;
    do {
      before = pair_.wire().packets().size();
      pair_.Run();
      sockets_.Run(pair_.now());
      pair_.Run();
    } while (sockets_.busy() || pair_.wire().packets().size() != before);
  }

  VsockPair pair_;
  Sockets sockets_;
  Services services_;
  End client_;
};

void Echo(Model& model) {
  model.Connect(kEchoPort);
  for (size_t round = 0; round < kEchoRounds; ++round) {
    model.Send(EchoBytes(round));
    model.Read(EchoBytes(round));
  }
  model.Close();
}

void Refusal(Model& model) {
  model.Connect(kNobodysPort);
  model.Close();
}

void GuestsHalfClose(Model& model) {
  model.Connect(kEchoPort);
  model.Send(kHalfCloseBytes);
  model.Read(kHalfCloseBytes);
  model.ShutDownSend();
  model.Close();
}

void HostsHalfClose(Model& model) {
  model.Connect(kShortSourcePort);
  model.Read(kShortSourceBytes);
  model.Send(kHalfCloseBytes);
  model.Close();
}

void SlowReader(Model& model) {
  model.Connect(kLongSourcePort);
  for (size_t heard = 0; heard < kLongSourceBytes;) {
    heard += model.Read(kSlowRead);
  }
  model.Close();
}

void StalledWriter(Model& model) {
  model.Connect(kSlowPort);
  for (size_t i = 0; i < kStalledWrites; ++i) model.Send(kStalledWrite);
  model.Close();
}

void RaisedMark(Model& model) {
  model.Connect(kLongSourcePort);
  model.Read(kBeforeMark);
  model.SetLowWater(kRaisedMark);
}

using Application = void (*)(Model&);
const std::pair<absl::string_view, Application> kApplications[] = {
    {"packets_of_echo", Echo},
    {"packets_of_refusal", Refusal},
    {"packets_of_guests_half_close", GuestsHalfClose},
    {"packets_of_hosts_half_close", HostsHalfClose},
    {"packets_of_slow_reader", SlowReader},
    {"packets_of_stalled_writer", StalledWriter},
    {kRaisedMarkCase, RaisedMark}};

}  // namespace

std::vector<std::string> ModelPackets(absl::string_view name) {
  for (const auto& [known, application] : kApplications) {
    if (known != name) continue;
    Model model;
    application(model);
    return model.Packets();
  }
  VSOCK_CHECK(false);
}

}  // namespace vsock::real_guest
