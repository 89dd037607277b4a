// Tries sim/capture_replay.h: the recorded programs, run in the model, against
// what Linux 6.1 put on the wire for them.

#include "sim/capture_replay.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/capture_reader.h"
#include "sim/captured_workloads.h"
#include "sim/files.h"
#include "sim/platform_loader.h"
#include "vsock/hdr.h"

namespace sim {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using vsock::Op;
using vsock::VsockHdr;

Platform LinuxKvm() {
  return *ReadPlatform(*DataPath("sim/platforms/linux_kvm.textproto"));
}

const std::vector<CaptureComparison>& All() {
  static const auto* all =
      new std::vector<CaptureComparison>(*CompareCaptures(LinuxKvm()));
  return *all;
}

const CaptureComparison& Of(const std::string& name) {
  for (const CaptureComparison& comparison : All()) {
    if (comparison.name == name) return comparison;
  }
  ADD_FAILURE() << "no recording " << name;
  return All().front();
}

uint32_t At(const std::array<uint32_t, kOps>& counts, Op op) {
  return counts[static_cast<size_t>(op)];
}

std::vector<VsockHdr> Recording(const std::string& name) {
  std::vector<VsockHdr> headers;
  const auto packets =
      ReadPackets(*DataPath("sim/scenarios/captures/" + name + ".pcap"));
  for (const CapturedPacket& packet : *packets) headers.push_back(packet.hdr);
  return headers;
}

CapturedWorkload Workload(const std::string& name) {
  for (const CapturedWorkload& workload : CapturedWorkloads()) {
    if (workload.name == name) return workload;
  }
  ADD_FAILURE() << "no workload " << name;
  return {};
}

TEST(CaptureReplayTest, EchoMatchesPacketByPacket) {
  EXPECT_EQ(Of("echo").packets_compared, 86u);
  EXPECT_EQ(Of("echo").first_difference, "");
  EXPECT_TRUE(Of("echo").matched);
}

TEST(CaptureReplayTest, RefusedConnectionsMatchPacketByPacket) {
  EXPECT_EQ(Of("refused").packets_compared, 4u);
  EXPECT_EQ(Of("refused").first_difference, "");
}

TEST(CaptureReplayTest, HalfClosedConnectionMatchesPacketByPacket) {
  EXPECT_EQ(Of("shutdown").packets_compared, 11u);
  EXPECT_EQ(Of("shutdown").first_difference, "");
}

// The recording: 256 packets of 4 KiB, and updates at 200704, 401408, 602112,
// 802816, 1003520 and 1048576.
TEST(CaptureReplayTest, SlowReaderIsToldOfAsOftenAsInTheRecording) {
  const CaptureComparison& result = Of("slowreader");

  EXPECT_EQ(At(result.expected, Op::kRw), 256u);
  EXPECT_EQ(At(result.got, Op::kRw), 256u);
  EXPECT_EQ(At(result.expected, Op::kCreditUpdate), 6u);
  EXPECT_EQ(At(result.got, Op::kCreditUpdate), 6u);
  EXPECT_EQ(result.first_difference, "");
}

// The recording: 64 packets of 64 KiB, 61 updates, two SHUTDOWNs, two RSTs.
TEST(CaptureReplayTest, BulkTakesTheRecordedPackets) {
  const CaptureComparison& result = Of("bulk");

  EXPECT_EQ(At(result.expected, Op::kRw), 64u);
  EXPECT_EQ(At(result.got, Op::kRw), 64u);
  EXPECT_EQ(At(result.expected, Op::kCreditUpdate), 61u);
  EXPECT_NEAR(At(result.got, Op::kCreditUpdate), 61, 6);
  EXPECT_EQ(result.first_difference, "");
}

TEST(CaptureReplayTest, SeqpacketWaitsForItsSockets) {
  EXPECT_FALSE(Of("seqpacket").matched);
  EXPECT_EQ(Of("seqpacket").how, "waits for seqpacket sockets");
  EXPECT_EQ(Of("seqpacket").packets_compared, 0u);
}

TEST(CaptureReplayTest, OneRowForEachRecording) {
  EXPECT_THAT(All(), SizeIs(6));
}

TEST(CaptureReplayTest, OneChangedFieldIsFoundAndNamed) {
  std::vector<VsockHdr> recorded = Recording("shutdown");
  const CapturedRun run = *RunCaptured(Workload("shutdown"), LinuxKvm());
  recorded[3].fwd_cnt = 999;

  const CaptureComparison result = Compare(Workload("shutdown"), recorded, run);

  EXPECT_FALSE(result.matched);
  EXPECT_THAT(result.first_difference, HasSubstr("packet 4: "));
  EXPECT_THAT(result.first_difference, HasSubstr("fwd_cnt 999"));
}

TEST(CaptureReplayTest, MissingPacketIsFoundAndNamed) {
  CapturedRun run = *RunCaptured(Workload("shutdown"), LinuxKvm());
  run.packets.pop_back();

  const CaptureComparison result =
      Compare(Workload("shutdown"), Recording("shutdown"), run);

  EXPECT_THAT(result.first_difference, HasSubstr("packet 11: "));
  EXPECT_THAT(result.first_difference, HasSubstr("in the model: nothing"));
}

TEST(CaptureReplayTest, CountOffByMoreThanATenthIsFoundAndNamed) {
  const CapturedRun run = {.packets = Recording("slowreader")};
  std::vector<VsockHdr> recorded = run.packets;
  recorded.erase(recorded.begin() + 2, recorded.begin() + 32);  // 30 RW of 256

  const CaptureComparison result =
      Compare(Workload("slowreader"), recorded, run);

  EXPECT_FALSE(result.matched);
  EXPECT_THAT(result.first_difference, HasSubstr("226 packets"));
}

TEST(CaptureReplayTest, LinuxUpdatesAreLawful) {
  EXPECT_EQ(UnlawfulUpdate(Recording("slowreader")), "");
  EXPECT_EQ(UnlawfulUpdate(Recording("bulk")), "");
  EXPECT_EQ(UnlawfulUpdate(Recording("echo")), "");
}

TEST(CaptureReplayTest, UpdateOfNothingNewOrOfWhatHasNotComeIsUnlawful) {
  std::vector<VsockHdr> nothing_new = Recording("slowreader");
  nothing_new[66].fwd_cnt = 0;
  std::vector<VsockHdr> not_come = Recording("slowreader");
  not_come[66].fwd_cnt = 64 * 4096 + 1;

  EXPECT_THAT(UnlawfulUpdate(nothing_new), HasSubstr("packet 67"));
  EXPECT_THAT(UnlawfulUpdate(not_come), HasSubstr("packet 67"));
}

TEST(CaptureReplayTest, SendingBeyondWhatWasAnnouncedIsUnlawful) {
  std::vector<VsockHdr> packets = Recording("slowreader");
  packets.erase(packets.begin() + 66);  // the first update

  EXPECT_THAT(UnlawfulUpdate(packets), HasSubstr("packet 67"));
}

}  // namespace
}  // namespace sim
