// Tries vsock/driver.h against the packets that the driver of Linux 6.1.192
// sent for the same calls, to the same device, on a split ring. They were
// recorded from the output of boot_test.cc, which compares again with a guest
// that runs.

#include "tests/real_guest/model_packets.h"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace vsock::real_guest {
namespace {

using Recording = absl::btree_map<std::string, std::vector<std::string>>;

Recording Linux() {
  Recording recording;
  std::ifstream file("tests/real_guest/data/linux_6.1.192_packets.txt");
  for (std::string line; std::getline(file, line);) {
    const std::pair<std::string, std::string> words =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    recording[words.first].push_back(words.second);
  }
  return recording;
}

void ExpectThoseOfLinux(const std::string& name) {
  const std::vector<std::string> recorded = Linux()[name];

  ASSERT_FALSE(recorded.empty());
  EXPECT_EQ(ModelPackets(name), recorded);
}

TEST(ModelPacketsTest, EchoSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_echo");
}

TEST(ModelPacketsTest, RefusedConnectionSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_refusal");
}

TEST(ModelPacketsTest, HalfCloseOfTheGuestSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_guests_half_close");
}

TEST(ModelPacketsTest, HalfCloseOfTheHostSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_hosts_half_close");
}

TEST(ModelPacketsTest, SlowReaderSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_slow_reader");
}

TEST(ModelPacketsTest, WriterToASlowReaderSendsThoseOfLinux) {
  ExpectThoseOfLinux("packets_of_stalled_writer");
}

// Linux announces it since 6.8; 6.1.192 leaves reader and writer waiting for
// each other.
TEST(ModelPacketsTest, RaisedMarkIsAnnouncedByTheModelAlone) {
  std::vector<std::string> expected = Linux()[std::string(kRaisedMarkCase)];
  ASSERT_EQ(expected.size(), 1u);  // a REQUEST
  expected.push_back("op 6 len 0 flags 0 buf_alloc 262144 fwd_cnt 3732");

  EXPECT_EQ(ModelPackets(kRaisedMarkCase), expected);
}

}  // namespace
}  // namespace vsock::real_guest
