// Guest and host on a thread each: nothing is lost, torn or reordered on the
// way, and nobody sleeps for ever. A lost wake-up shows as a test that hangs.

#include "bench/two_threads.h"

#include <cstdint>
#include <string>
#include <tuple>

#include "bench/doorbell.h"
#include "bench/flow_pair.h"
#include "gtest/gtest.h"
#include "vsock/hdr.h"

namespace bench {
namespace {

constexpr uint64_t kMessages = 1000;
constexpr uint32_t kMessageBytes = 5000;  // a stream is cut to rx buffers

struct Meeting {
  bool to_host;
  bool event_idx;
  Waiting waiting;
};

std::string Name(const testing::TestParamInfo<Meeting>& info) {
  return std::string(info.param.to_host ? "ToHost" : "ToGuest") +
         (info.param.event_idx ? "EventIdx" : "Flags") +
         (info.param.waiting == Waiting::kPoll ? "Polling" : "Notified");
}

TwoThreadsResult Send(vsock::Type type, const Meeting& meeting) {
  return RunTwoThreads({.flow = {.type = type,
                                 .to_host = meeting.to_host,
                                 .message_bytes = kMessageBytes,
                                 .event_idx = meeting.event_idx},
                        .messages = kMessages,
                        .waiting = meeting.waiting,
                        .compare = true});
}

class TwoThreadsTest : public testing::TestWithParam<Meeting> {};

TEST_P(TwoThreadsTest, EveryByteOfAStreamArrivesAsItWasSent) {
  const TwoThreadsResult result = Send(vsock::Type::kStream, GetParam());

  EXPECT_EQ(result.bytes, kMessages * kMessageBytes);
  EXPECT_TRUE(result.intact);
  EXPECT_EQ(result.dropped, 0u);
}

TEST_P(TwoThreadsTest, EveryDatagramArrivesWholeAndInOrderOrIsCounted) {
  const TwoThreadsResult result = Send(vsock::Type::kDgram, GetParam());

  EXPECT_EQ(result.reads + result.dropped, kMessages);
  EXPECT_EQ(result.bytes, result.reads * kMessageBytes);
  EXPECT_TRUE(result.intact);
}

TEST_P(TwoThreadsTest, BothSidesNotifyEachOther) {
  const TwoThreadsResult result = Send(vsock::Type::kStream, GetParam());

  EXPECT_GT(result.work.kicks, 0u);
  EXPECT_GT(result.work.interrupts, 0u);
}

INSTANTIATE_TEST_SUITE_P(EveryMeeting, TwoThreadsTest,
                         testing::Values(Meeting{true, true, Waiting::kSleep},
                                         Meeting{true, false, Waiting::kSleep},
                                         Meeting{false, true, Waiting::kSleep},
                                         Meeting{false, false, Waiting::kSleep},
                                         Meeting{true, true, Waiting::kPoll},
                                         Meeting{false, false, Waiting::kPoll}),
                         Name);

}  // namespace
}  // namespace bench
