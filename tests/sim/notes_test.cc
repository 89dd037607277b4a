#include "sim/notes.h"

#include <string>
#include <vector>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "sim/scenario.pb.h"
#include "sim/scenario_defaults.h"

namespace sim {
namespace {

std::vector<std::string> NotesOn(const std::string& flow) {
  Scenario scenario;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "flow { name: \"f\" " + flow + " }", &scenario));
  FillDefaults(scenario);
  return ScenarioNotes(scenario);
}

// setsockopt takes at most wmem_max and rmem_max, 212992 on older kernels.
TEST(NotesTest, TellsOfDatagramBuffersThatTheKernelClamps) {
  const std::string ends = "type: DGRAM from { cid: 3 } to { cid: 2 } ";

  EXPECT_EQ(NotesOn(ends + "buffer_bytes: 300000"),
            (std::vector<std::string>{
                "f: SO_SNDBUF 300000 becomes 212992 (wmem_max_bytes)",
                "f: SO_RCVBUF 300000 becomes 212992 (rmem_max_bytes)"}));
  EXPECT_TRUE(NotesOn(ends + "buffer_bytes: 212992").empty());
}

// Linux keeps SO_VM_SOCKETS_BUFFER_SIZE within 128..262144 by default.
TEST(NotesTest, TellsOfStreamBuffersThatTheKernelClamps) {
  const std::string ends = "type: STREAM from { cid: 3 } to { cid: 2 } ";

  EXPECT_EQ(NotesOn(ends + "buffer_bytes: 300000"),
            (std::vector<std::string>{"f: SO_VM_SOCKETS_BUFFER_SIZE 300000 "
                                      "becomes 262144 "
                                      "(stream_buffer_max_bytes)"}));
  EXPECT_EQ(NotesOn(ends + "buffer_bytes: 100").size(), 1u);
  EXPECT_TRUE(NotesOn(ends).empty());
}

// 4096 + 44 bytes fit an rx buffer of 4140; one more does not.
TEST(NotesTest, TellsOfDatagramsThatFitNoRxBuffer) {
  const std::string ends = "type: DGRAM from { cid: 2 } to { cid: 3 } ";

  EXPECT_TRUE(NotesOn(ends + "message_bytes: 4096").empty());
  EXPECT_EQ(NotesOn(ends + "message_bytes: 4097"),
            (std::vector<std::string>{"f: its datagrams do not fit rx buffers "
                                      "of 4140 bytes, so all are dropped"}));
}

// Rx buffers are virtio-vsock's: nothing else has to fit them.
TEST(NotesTest, TellsOfRxBuffersToFlowsOfVsockOnly) {
  const std::string down = "type: DGRAM message_bytes: 5000 from { cid: 2 } ";

  for (const char* transport : {"UDP", "VMCI"}) {
    EXPECT_TRUE(
        NotesOn(down + "to { cid: 3 } transport: " + transport).empty());
  }
  EXPECT_TRUE(
      NotesOn(down + "to { cid: 2 } transport: VSOCK_LOOPBACK").empty());
  EXPECT_TRUE(NotesOn(down + "to { cid: 2 } transport: UNIX").empty());
}

TEST(NotesTest, ComparesWithTheKernelOfTheReceiversOwnMachine) {
  const std::string within =
      "type: DGRAM transport: VSOCK_LOOPBACK receive_buffer_bytes: 5000 ";
  const std::string small = "} guest { kernel { rmem_max_bytes: 4000 } ";

  EXPECT_EQ(NotesOn(within + "from { cid: 3 } to { cid: 3 } " + small),
            (std::vector<std::string>{
                "f: SO_RCVBUF 5000 becomes 4000 (rmem_max_bytes)"}));
  EXPECT_TRUE(
      NotesOn(within + "from { cid: 2 } to { cid: 2 } " + small).empty());
}

// Linux: SO_SNDBUF - 32 is the most. macOS: SO_SNDBUF, 2048 by default, and 16
// bytes of address go into SO_RCVBUF, 4096 by default.
TEST(NotesTest, TellsOfAfUnixDatagramsThatCanNeverGo) {
  const std::string within = "type: DGRAM from { cid: 2 } to { cid: 2 } ";
  const std::string linux = within + "transport: UNIX message_bytes: ";
  const std::string macos = within + "transport: UNIX_BSD message_bytes: ";

  EXPECT_TRUE(NotesOn(linux + "212960").empty());
  EXPECT_EQ(NotesOn(linux + "212961"),
            (std::vector<std::string>{
                "f: its datagrams are longer than SO_SNDBUF 212992 admits "
                "(EMSGSIZE), so its senders stop"}));
  EXPECT_TRUE(NotesOn(macos + "2048").empty());
  EXPECT_EQ(NotesOn(macos + "2049").size(), 1u);
  EXPECT_TRUE(NotesOn(macos + "4080 buffer_bytes: 4096").empty());
  EXPECT_EQ(NotesOn(macos + "4081 buffer_bytes: 4096"),
            (std::vector<std::string>{
                "f: its datagrams do not fit SO_RCVBUF 4096 (ENOBUFS), so all "
                "are refused"}));
}

TEST(NotesTest, TellsOfDatagramsThatAreTruncated) {
  EXPECT_EQ(NotesOn("type: DGRAM from { cid: 3 } to { cid: 2 } "
                    "receiver { read_bytes: 10 }"),
            (std::vector<std::string>{
                "f: its receivers truncate datagrams to 10 bytes"}));
  EXPECT_EQ(NotesOn("type: DGRAM from { cid: 3 } to { cid: 3 } transport: UNIX "
                    "receiver { read_bytes: 10 }")
                .size(),
            1u);
}

}  // namespace
}  // namespace sim
