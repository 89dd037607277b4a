#include "sim/capture_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sim/files.h"
#include "sim/text_message.h"
#include "tests/sim/capture_bytes.h"
#include "tests/sim/scenario_file.h"
#include "vsock/units.h"

namespace sim {
namespace {

absl::StatusOr<std::vector<CapturedFlow>> Read(absl::string_view bytes) {
  return ReadCapture(WriteFile("c.pcap", bytes));
}

std::string ErrorOf(absl::string_view bytes) {
  return std::string(Read(bytes).status().message());
}

std::vector<CapturedFlow> ReadRecording(absl::string_view path) {
  return *ReadCapture(*DataPath(path));
}

// Recorded by a program that sent 20 requests of 100 + 37 i bytes, each echoed.
TEST(CaptureReaderTest, EveryPacketIsReadWithItsHeader) {
  const auto packets =
      ReadPackets(*DataPath("sim/scenarios/captures/refused.pcap"));

  ASSERT_TRUE(packets.ok()) << packets.status();
  ASSERT_EQ(packets->size(), 4u);  // two refusals, of two types
  EXPECT_TRUE((*packets)[2].hdr.is(vsock::Type::kSeqpacket));
  EXPECT_TRUE((*packets)[2].hdr.is(vsock::Op::kRequest));
  EXPECT_EQ((*packets)[2].hdr.buf_alloc, 262144u);
  EXPECT_TRUE((*packets)[3].hdr.is(vsock::Op::kRst));
  EXPECT_GT((*packets)[3].at, (*packets)[0].at);
}

TEST(CaptureReaderTest, ReadsTheEchoRecordingAsRequestsAndReplies) {
  const std::vector<CapturedFlow> flows =
      ReadRecording("sim/scenarios/captures/echo.pcap");

  ASSERT_EQ(flows.size(), 1u);
  ASSERT_EQ(flows[0].messages.size(), 40u);
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(flows[0].messages[i].bytes, 100 + 37 * (i / 2)) << i;
    EXPECT_EQ(flows[0].messages[i].reply, i % 2 == 1) << i;
  }
}

// Times as tshark prints them: the flow opens at 0, its first two messages are
// at 7.237344 and 9.196082 ms.
TEST(CaptureReaderTest, TakesGapsInNanoseconds) {
  const std::vector<CapturedFlow> flows =
      ReadRecording("sim/scenarios/captures/echo.pcap");

  EXPECT_EQ(flows[0].messages[0].gap, vsock::Nanos(7237344));
  EXPECT_EQ(flows[0].messages[1].gap, vsock::Nanos(9196082 - 7237344));
}

// 4 MiB in packets of 64 KiB, of which 256 bytes each are in the file.
TEST(CaptureReaderTest, TakesSizesFromTheHeaderWhenPacketsAreCutShort) {
  const std::vector<CapturedFlow> flows =
      ReadRecording("sim/scenarios/captures/bulk.pcap");

  ASSERT_EQ(flows.size(), 1u);
  ASSERT_EQ(flows[0].messages.size(), 64u);
  for (const CapturedMessage& message : flows[0].messages) {
    EXPECT_EQ(message.bytes, 65536u);
    EXPECT_FALSE(message.reply);
  }
}

TEST(CaptureReaderTest, LeavesOutFlowsWithoutPayloadAndOtherTypes) {
  EXPECT_TRUE(ReadRecording("sim/scenarios/captures/refused.pcap").empty());
  EXPECT_TRUE(ReadRecording("sim/scenarios/captures/seqpacket.pcap").empty());
}

TEST(CaptureReaderTest, KeepsFlowsApartInTheOrderOfTheirFirstPacket) {
  const auto flows =
      Read(absl::StrCat(CaptureHead(), CaptureRecord({.src_port = 1, .op = 1}),
                        CaptureRecord({.src_port = 2, .len = 20}),
                        CaptureRecord({.src_cid = 2,
                                       .dst_cid = 3,
                                       .src_port = 10,
                                       .dst_port = 2,
                                       .len = 21}),
                        CaptureRecord({.src_port = 1, .len = 10})));

  ASSERT_TRUE(flows.ok()) << flows.status();
  ASSERT_EQ(flows->size(), 2u);
  EXPECT_EQ((*flows)[0].key.local,
            (vsock::Address{vsock::Cid(3), vsock::Port(1)}));
  EXPECT_EQ((*flows)[0].messages.size(), 1u);
  EXPECT_EQ((*flows)[1].messages.size(), 2u);
}

TEST(CaptureReaderTest, BeginsANewFlowAtEachRequest) {
  const std::string request = CaptureRecord({.op = 1});
  const std::string data = CaptureRecord({.len = 5});

  const auto flows =
      Read(absl::StrCat(CaptureHead(), request, data, request, data, data));

  ASSERT_EQ(flows->size(), 2u);
  EXPECT_EQ((*flows)[0].messages.size(), 1u);
  EXPECT_EQ((*flows)[1].messages.size(), 2u);
}

TEST(CaptureReaderTest, CountsAClockThatGoesBackAsStandingStill) {
  const auto flows =
      Read(absl::StrCat(CaptureHead(), CaptureRecord({.seconds = 2, .len = 5}),
                        CaptureRecord({.seconds = 1, .len = 5})));

  EXPECT_EQ((*flows)[0].messages[1].gap, vsock::Nanos(0));
}

TEST(CaptureReaderTest, NamesTheFileWhenItIsNoCapture) {
  const std::string error = ErrorOf("hello");

  EXPECT_TRUE(absl::StrContains(error, "c.pcap: not a capture: ")) << error;
  EXPECT_FALSE(ReadCapture("/nonexistent.pcap").ok());
  EXPECT_FALSE(ReadCapture("/").ok());
}

TEST(CaptureReaderTest, NamesTheLinkTypeWhenItIsAnother) {
  EXPECT_TRUE(absl::StrContains(ErrorOf(CaptureHead(/*link_type=*/1)),
                                "link type 1, expected 271 (vsockmon)"));
}

// One error for each way in which a packet cannot be what it claims.
TEST(CaptureReaderTest, NamesThePacketThatIsMalformed) {
  const std::string good = absl::StrCat(CaptureHead(), CaptureRecord({}));
  const auto error = [&good](const CapturePacket& bad) {
    const std::string text = ErrorOf(good + CaptureRecord(bad));
    return text.substr(text.find("packet"));
  };

  EXPECT_EQ(error({.kept = 75}), "packet 2: only 75 bytes, the headers are 76");
  EXPECT_EQ(error({.transport = 1}),
            "packet 2: transport 1 with 44 bytes of header, expected 2 "
            "(virtio) with 44");
  EXPECT_EQ(error({.transport_bytes = 43}),
            "packet 2: transport 2 with 43 bytes of header, expected 2 "
            "(virtio) with 44");
  EXPECT_EQ(error({.len = 65537}),
            "packet 2: 5.10.6: len 65537 is above 65536");
  EXPECT_EQ(error({.len = 10, .wire_bytes = 80}),
            "packet 2: len 10 in a packet of 80 bytes");
  EXPECT_EQ(error({.seconds = 1000001, .len = 1}),
            "packet 2: comes more than 10^6 s later");
}

TEST(CaptureReaderTest, NamesThePacketInWhichTheFileEnds) {
  const std::string whole =
      absl::StrCat(CaptureHead(), CaptureRecord({}), CaptureRecord({}));

  const std::string error = ErrorOf(whole.substr(0, whole.size() - 1));

  EXPECT_TRUE(absl::StrContains(error, "c.pcap: packet 2: ")) << error;
}

// Whatever a byte becomes, the reader ends: with flows, or with an error that
// names the file. Under asan also without a stray access.
TEST(CaptureReaderTest, SurvivesEveryDamagedByte) {
  const std::string whole = absl::StrCat(
      CaptureHead(), CaptureRecord({.op = 1}), CaptureRecord({.len = 5}));

  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto flows = Read(damaged);
      EXPECT_TRUE(flows.ok() ||
                  absl::StrContains(flows.status().message(), "c.pcap"));
    }
  }
}

TEST(CaptureReaderTest, SurvivesAFileThatEndsAnywhere) {
  const std::string whole =
      *ReadFile(*DataPath("sim/scenarios/captures/echo.pcap"));

  for (size_t end = 0; end < 1000; ++end) {
    const auto flows = Read(whole.substr(0, end));
    EXPECT_TRUE(flows.ok() ||
                absl::StrContains(flows.status().message(), "c.pcap"));
  }
}

}  // namespace
}  // namespace sim
