// Tries the request/response programs of sim/program.h: what is outstanding,
// and the work between a reply and the next request.

#include <cstdint>
#include <memory>

#include "gtest/gtest.h"
#include "sim/flow_book.h"
#include "sim/program.h"
#include "sim/scenario.pb.h"
#include "sim/window.h"
#include "vsock/units.h"

namespace sim {
namespace {

using vsock::Instant;
using vsock::Nanos;
using Kind = Operation::Kind;

// A client that stops after 1000 us.
class ClientContext {
 public:
  explicit ClientContext(uint32_t in_flight, uint32_t work_ps_per_byte = 0) {
    flow_.set_stop_us(1000);
    Scenario::RequestResponse& shape = *flow_.mutable_request_response();
    shape.set_request_bytes(32);
    shape.set_reply_bytes(2097152);
    shape.set_in_flight(in_flight);
    shape.set_work_ps_per_byte(work_ps_per_byte);
    program_ = SenderProgram(flow_, book_);
  }

  Operation Next(int64_t us = 0) { return program_->Next(Instant(us * 1000)); }
  FlowResult Result() const { return book_.Result(); }

 private:
  Scenario::Flow flow_;
  FlowBook book_{flow_, Window{Instant(0), Instant(1000000)}};
  std::unique_ptr<Program> program_;
};

TEST(RequestResponseTest, OneInFlightAlternates) {
  ClientContext client(/*in_flight=*/1);

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Next().kind, Kind::kSend);
    EXPECT_EQ(client.Next().kind, Kind::kReceive);
  }
}

TEST(RequestResponseTest, SendsAsManyAsMayBeOutstandingThenOneForEachReply) {
  ClientContext client(/*in_flight=*/3);

  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Next().kind, Kind::kSend);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Next().kind, Kind::kReceive);
    EXPECT_EQ(client.Next().kind, Kind::kSend);
  }
}

TEST(RequestResponseTest, TakesWhatIsOutstandingBeforeItFinishes) {
  ClientContext client(/*in_flight=*/2);
  client.Next();
  client.Next();

  EXPECT_EQ(client.Next(1000).kind, Kind::kReceive);
  EXPECT_EQ(client.Next(1000).kind, Kind::kReceive);
  EXPECT_EQ(client.Next(1000).kind, Kind::kFinish);
}

// 2 MiB at 400 ps a byte are 838860 ns.
TEST(RequestResponseTest, WorksOnEachReplyBeforeTheNextRequest) {
  ClientContext client(/*in_flight=*/1, /*work_ps_per_byte=*/400);
  client.Next();
  client.Next();

  const Operation work = client.Next();

  EXPECT_EQ(work.kind, Kind::kWork);
  EXPECT_EQ(work.work, Nanos(838860));
  EXPECT_EQ(client.Next().kind, Kind::kSend);
}

TEST(RequestResponseTest, RoundTripCountsFromItsOwnRequest) {
  ClientContext client(/*in_flight=*/2);
  client.Next(0);
  client.Next(100);
  client.Next(100);

  client.Next(300);  // the reply to the first is there

  EXPECT_EQ(client.Result().latency().max_us(), 300);
}

}  // namespace
}  // namespace sim
