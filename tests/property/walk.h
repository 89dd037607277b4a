// walk.h: one random walk over everything a user of two sockets layers can do,
// with every property looked at after every step and all contents compared.
//
// A seed draws the set-up (rings of 2 to 8 descriptors, rx buffers from a byte
// of payload upwards, both drafts, payloads real or elided, memory short or
// not), then calls and steps of single workers in any order; then the calls
// end, the readers read, and nothing may be left over.

#ifndef TESTS_PROPERTY_WALK_H_
#define TESTS_PROPERTY_WALK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/random.h"
#include "tests/property/datagram_oracle.h"
#include "tests/property/stream_oracle.h"
#include "tests/support/datagram_ends.h"
#include "tests/support/stream_ends.h"
#include "tests/support/vsock_pair.h"
#include "virtqueue/ring_format.h"

namespace vsock {

class Walk {
 public:
  Walk(uint64_t seed, virtqueue::RingFormat format);

  // Reports what it finds as test failures.
  void Run();

 private:
  static constexpr int kMoves = 250;

  // One end of a stream, with its user.
  struct StreamUser {
    End end;
    StreamOracle sent;  // by this end
    bool closed = false;
    bool stopped_reading = false;
    bool asleep = false;
  };
  struct Flow {
    StreamUser client;
    StreamUser server;
    bool accepted = false;
    bool shrunk = false;  // a buffer, so the peer may be reset for its past
  };
  struct DatagramUser {
    Side side;
    DatagramEnd end;
    bool asleep = false;
  };

  VsockPair::Options DrawOptions(virtqueue::RingFormat format);
  StreamBufferSize DrawBuffer();

  void Move();
  void StepAWorker();
  void ResetQueues();
  void WakeSleepers();

  void OpenStream();
  void AcceptStreams(Side side);
  StreamUser* PickStreamUser(Flow** flow);
  StreamUser& PeerOf(Flow& flow, const StreamUser& user);
  void MoveStream();
  void SendOnStream(StreamUser& user);
  void ReadFromStream(Flow& flow, StreamUser& user, uint32_t max);
  void ShutDownStream(StreamUser& user);
  void CloseStream(StreamUser& user);
  void ResizeStream(Flow& flow, StreamUser& user);
  void SleepOnStream(Flow& flow, StreamUser& user);

  void MoveDatagram();
  void SendDatagram(DatagramUser& user);
  void ReadDatagram(DatagramUser& user, uint32_t max);
  void ReplaceDatagramUser(DatagramUser& user);
  DatagramUser MakeDatagramUser(Side side);

  void ReadEverything();
  void ExpectNothingUnderWay();
  void ExpectDelivered(const Flow& flow, const StreamUser& from,
                       const StreamUser& to);
  void CloseEverything();
  void ExpectNothingLeft();

  uint32_t Draw(uint32_t lo, uint32_t hi) {
    return static_cast<uint32_t>(random_.Uniform(lo, hi));
  }
  bool MayReset(const Flow& flow) const { return flow.shrunk || short_memory_; }

  sim::Random random_;
  bool short_memory_ = false;
  bool real_ = true;
  VsockPair pair_;
  SocketId listeners_[2];
  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<DatagramUser> datagrams_;
  DatagramOracle datagram_oracle_;
};

}  // namespace vsock

#endif  // TESTS_PROPERTY_WALK_H_
