#include "sim/capture_replay.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sim/capture_reader.h"
#include "sim/captured_program.h"
#include "sim/files.h"
#include "sim/loopback_sockets.h"
#include "sim/machines.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_defaults.h"

namespace sim {
namespace {

using vsock::Op;
using vsock::VsockHdr;

constexpr vsock::Instant kEnd{2'000'000'000};
constexpr int kTolerancePercent = 10;

using Headers = absl::Span<const VsockHdr>;

// Nothing of a replay is left to chance.
Scenario LoopbackScenario() {
  Scenario scenario;
  Scenario::Flow& flow = *scenario.add_flow();
  flow.set_name("captured");
  flow.set_type(Scenario::Flow::STREAM);
  flow.set_transport(Scenario::Flow::VSOCK_LOOPBACK);
  for (Scenario::Endpoint* end : {flow.mutable_from(), flow.mutable_to()}) {
    end->set_cid(vsock::kCidHost.value());
  }
  Scenario::Randomness& chance = *scenario.mutable_randomness();
  chance.mutable_start_offset()->set_enabled(false);
  chance.mutable_run_queue_order()->set_enabled(false);
  chance.mutable_wakeup_latency()->set_enabled(false);
  chance.mutable_cost_jitter()->set_enabled(false);
  chance.mutable_interference()->set_enabled(false);
  FillDefaults(scenario);
  return scenario;
}

// The machine, both programs and the tap.
class Replay {
 public:
  Replay(const CapturedWorkload& workload, const Platform& platform)
      : workload_(workload),
        scenario_(LoopbackScenario()),
        machines_(scenario_, platform, /*seed=*/1),
        chance_(machines_.ChanceOf("replay")) {}

  absl::StatusOr<CapturedRun> Run() {
    if (absl::Status status = SetUp(); !status.ok()) return status;
    EventLoop& loop = machines_.loop();
    if (workload_.seqpacket_request_at.has_value()) {
      loop.RunUntil(*workload_.seqpacket_request_at);
      InjectSeqpacketRequest();
    }
    loop.RunUntil(kEnd);
    for (const absl::Status& status : {sockets_->Check(), machines_.Check()}) {
      if (!status.ok()) return status;
    }
    uint32_t breaches = 0;
    for (const auto& program : programs_) {
      breaches += program->untimely_updates();
    }
    return CapturedRun{packets_, breaches};
  }

 private:
  static constexpr Side kSide = Side::kHost;

  absl::Status SetUp() {
    auto sockets =
        LoopbackSockets::Create(machines_, {.closing_resets_again = true});
    if (!sockets.ok()) return sockets.status();
    sockets_ = *std::move(sockets);
    sockets_->Tap(kSide, packets_);
    if (!workload_.server.empty()) {
      const auto listener = Open("server", workload_.port, workload_.server);
      if (!listener.ok()) return listener.status();
      const absl::Status status = sockets_->Listen(*listener, 1);
      if (!status.ok()) return status;
    }
    return Open("client", vsock::Port(0), workload_.client).status();
  }

  absl::StatusOr<SocketRef> Open(const char* name, vsock::Port port,
                                 const std::vector<CapturedStep>& steps) {
    const absl::StatusOr<vsock::SocketId> id =
        sockets_->Open(kSide, scenario_.flow(0), port.value(), true);
    if (!id.ok()) return id.status();
    const SocketRef socket = {kSide, *id};
    programs_.push_back(std::make_unique<CapturedProgram>(
        machines_, *sockets_,
        CapturedProgram::Options{.name = name,
                                 .socket = socket,
                                 .peer = {vsock::kCidLocal, workload_.port},
                                 .steps = steps}));
    programs_.back()->Start();
    return socket;
  }

  // As a seqpacket socket of Linux would send it.
  void InjectSeqpacketRequest() {
    VsockHdr hdr;
    hdr.set_source({vsock::kCidLocal, vsock::Port(1)});
    hdr.set_destination(
        {vsock::kCidLocal, vsock::Port(workload_.port.value() + 1)});
    hdr.set(vsock::Type::kSeqpacket, Op::kRequest);
    hdr.buf_alloc = scenario_.host().kernel().stream_buffer_bytes();
    sockets_->Inject(kSide, hdr, chance_);
  }

  const CapturedWorkload& workload_;
  const Scenario scenario_;
  Machines machines_;
  Chance chance_;
  std::unique_ptr<LoopbackSockets> sockets_;
  std::vector<std::unique_ptr<CapturedProgram>> programs_;
  std::vector<VsockHdr> packets_;
};

// The one who was connected to sends from the port the first packet went to.
bool IsReply(const VsockHdr& packet, Headers all) {
  return packet.src_port == all.front().dst_port;
}

std::string Describe(const VsockHdr& packet, bool reply) {
  std::ostringstream out;
  out << (reply ? "server " : "client ") << packet.operation();
  return absl::StrCat(out.str(), " type ", uint16_t{packet.type}, " len ",
                      uint32_t{packet.len}, " flags ", uint32_t{packet.flags},
                      " buf_alloc ", uint32_t{packet.buf_alloc}, " fwd_cnt ",
                      uint32_t{packet.fwd_cnt});
}

std::array<uint32_t, kOps> CountOps(Headers packets) {
  std::array<uint32_t, kOps> counts{};
  for (const VsockHdr& packet : packets) {
    if (packet.op < kOps) ++counts[packet.op];
  }
  return counts;
}

std::vector<std::string> Rows(Headers packets) {
  std::vector<std::string> rows;
  absl::btree_set<uint32_t> connected_to;  // ports
  for (const VsockHdr& packet : packets) {
    if (packet.is(Op::kRequest)) connected_to.insert(packet.dst_port);
    rows.push_back(Describe(packet, connected_to.contains(packet.src_port)));
  }
  return rows;
}

void CompareInOrder(Headers recorded, Headers modelled,
                    CaptureComparison& result) {
  const std::vector<std::string> expected = Rows(recorded);
  const std::vector<std::string> got = Rows(modelled);
  const size_t most = std::max(expected.size(), got.size());
  for (size_t i = 0; i < most; ++i) {
    const std::string& want = i < expected.size() ? expected[i] : "nothing";
    const std::string& have = i < got.size() ? got[i] : "nothing";
    if (want == have) continue;
    result.first_difference =
        absl::StrCat("packet ", i + 1, ": ", want, "; in the model: ", have);
    return;
  }
}

void CompareCounts(CaptureComparison& result) {
  for (size_t op = 0; op < kOps; ++op) {
    const int64_t want = result.expected[op];
    const int64_t have = result.got[op];
    if (100 * std::abs(have - want) <= kTolerancePercent * want) continue;
    std::ostringstream name;
    name << static_cast<Op>(op);
    result.first_difference =
        absl::StrCat(name.str(), ": ", want, " packets; in the model: ", have);
    return;
  }
}

// Each write of the client's waits for the time of its recorded packet.
void PaceWrites(absl::Span<const CapturedPacket> recorded,
                CapturedWorkload& workload) {
  std::vector<CapturedStep> paced;
  size_t next = 0;
  for (const CapturedStep& step : workload.client) {
    if (step.kind == CapturedStep::Kind::kWrite) {
      while (next < recorded.size() && !recorded[next].hdr.is(Op::kRw)) ++next;
      if (next < recorded.size()) {
        paced.push_back(
            {.kind = CapturedStep::Kind::kSleepUntil,
             .at = vsock::Instant(0) + (recorded[next++].at - recorded[0].at)});
      }
    }
    paced.push_back(step);
  }
  workload.client = std::move(paced);
}

absl::StatusOr<CaptureComparison> CompareOne(CapturedWorkload workload,
                                             const Platform& platform) {
  if (workload.order == CapturedWorkload::Order::kUnknown) {
    CaptureComparison waits;
    waits.name = workload.name;
    waits.how = "waits for seqpacket sockets";
    return waits;
  }
  const auto path =
      DataPath(absl::StrCat("sim/scenarios/captures/", workload.name, ".pcap"));
  if (!path.ok()) return path.status();
  const auto recorded = ReadPackets(*path);
  if (!recorded.ok()) return recorded.status();
  if (workload.at_recorded_pace) PaceWrites(*recorded, workload);
  const auto run = RunCaptured(workload, platform);
  if (!run.ok()) return run.status();
  std::vector<VsockHdr> headers;
  for (const CapturedPacket& packet : *recorded) headers.push_back(packet.hdr);
  return Compare(workload, headers, *run);
}

}  // namespace

std::string UnlawfulUpdate(Headers packets) {
  uint64_t arrived = 0;
  uint32_t announced = 0;
  uint32_t window = UINT32_MAX;  // before the first answer
  for (size_t i = 0; i < packets.size(); ++i) {
    const VsockHdr& packet = packets[i];
    if (!IsReply(packet, packets)) {
      if (packet.is(Op::kRw)) arrived += packet.len;
      if (arrived <= uint64_t{announced} + window) continue;
      return absl::StrCat("packet ", i + 1, ": ", arrived, " bytes, ",
                          announced, " of them announced as consumed");
    }
    const uint32_t fwd_cnt = packet.fwd_cnt;
    if (packet.is(Op::kCreditUpdate)) {
      const uint32_t news = fwd_cnt - announced;
      if (news == 0 || fwd_cnt > arrived) {
        return absl::StrCat("packet ", i + 1, ": ",
                            Describe(packet, /*reply=*/true), " after ",
                            arrived, " bytes, ", announced, " announced");
      }
    }
    announced = fwd_cnt;
    window = packet.buf_alloc;
  }
  return "";
}

absl::StatusOr<CapturedRun> RunCaptured(const CapturedWorkload& workload,
                                        const Platform& platform) {
  return Replay(workload, platform).Run();
}

CaptureComparison Compare(const CapturedWorkload& workload, Headers recorded,
                          const CapturedRun& run) {
  const Headers modelled = run.packets;
  CaptureComparison result;
  result.name = workload.name;
  result.packets_compared = static_cast<uint32_t>(recorded.size());
  result.expected = CountOps(recorded);
  result.got = CountOps(modelled);
  if (workload.order == CapturedWorkload::Order::kFixed) {
    result.how = "packet by packet";
    CompareInOrder(recorded, modelled, result);
  } else {
    result.how = workload.at_recorded_pace
                     ? "counts within 10 %, updates lawful; recorded pace"
                     : "counts within 10 %, updates lawful";
    CompareCounts(result);
    if (result.first_difference.empty()) {
      result.first_difference = UnlawfulUpdate(modelled);
    }
  }
  if (run.untimely_updates > 0 && result.first_difference.empty()) {
    result.first_difference =
        absl::StrCat(run.untimely_updates, " reads of the model's sent an ",
                     "update against the rule, or none");
  }
  result.matched = result.first_difference.empty();
  return result;
}

absl::StatusOr<std::vector<CaptureComparison>> CompareCaptures(
    const Platform& platform) {
  std::vector<CaptureComparison> all;
  for (const CapturedWorkload& workload : CapturedWorkloads()) {
    absl::StatusOr<CaptureComparison> one = CompareOne(workload, platform);
    if (!one.ok()) return one.status();
    all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace sim
