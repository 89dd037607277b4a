// socket_pair.h: two connected AF_UNIX sockets, closed with the object.

#ifndef BENCH_SOCKET_PAIR_H_
#define BENCH_SOCKET_PAIR_H_

#include <cstdint>

namespace bench {

class SocketPair {
 public:
  // `type` is SOCK_STREAM, SOCK_DGRAM or SOCK_SEQPACKET.
  explicit SocketPair(int type);
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  ~SocketPair();

  int sender() const { return fds_[0]; }
  int receiver() const { return fds_[1]; }

  // Asks for SO_SNDBUF of the sender; returns the sk_sndbuf that it got, which
  // Linux caps at wmem_max, doubles and never takes below its floor.
  uint32_t SetSendBuffer(uint32_t bytes);

  // No more is sent: once the receiver has read all, it reads nothing.
  void EndSending();

 private:
  int fds_[2];
};

}  // namespace bench

#endif  // BENCH_SOCKET_PAIR_H_
