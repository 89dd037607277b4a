#include "vsock/vhost_user/counters.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vsock/drop.h"
#include "vsock/hdr.h"
#include "vsock/vhost_user/device_setup.h"

namespace vsock::vhost_user {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CountersTest, AreANameAndANumberALineWithPrintsAtTheEnd) {
  const std::string text = Counters().Text(/*prints=*/7);

  EXPECT_THAT(text, EndsWith("\nprints 7\n"));
  std::set<std::string> names;
  const std::vector<std::string> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    uint64_t number;
    ASSERT_EQ(words.size(), 2u) << line;
    EXPECT_TRUE(absl::SimpleAtoi(words[1], &number)) << line;
    EXPECT_TRUE(names.insert(words[0]).second) << line;
  }
}

TEST(CountersTest, AreByOperationQueueAndCauseOfLoss) {
  Counters counters;
  counters.packets.received[static_cast<size_t>(Op::kShutdown)] = 3;
  counters.packets.sent[static_cast<size_t>(Op::kCreditUpdate)] = 4;
  counters.kicks[kTxQueue] = 5;
  counters.drops[static_cast<size_t>(DropReason::kWrongCid)] = {6, 600};

  const std::string text = counters.Text(1);

  for (const char* line :
       {"received_shutdown 3\n", "sent_credit_update 4\n", "tx_kicks 5\n",
        "dropped_wrong_cid_packets 6\n", "dropped_wrong_cid_bytes 600\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace vsock::vhost_user
