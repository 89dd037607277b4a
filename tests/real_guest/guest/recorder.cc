#include "tests/real_guest/guest/recorder.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/vm_sockets.h>
#include <linux/vsockmon.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/real_guest/guest/case.h"

namespace vsock::real_guest {
namespace {

constexpr char kInterface[] = "vsockmon0";
constexpr int kQuietMs = 500;

// struct virtio_vsock_hdr, virtio 1.3, 5.10.6, on a little-endian machine.
struct Header {
  uint64_t src_cid, dst_cid;
  uint32_t src_port, dst_port, len;
  uint16_t type, op;
  uint32_t flags, buf_alloc, fwd_cnt;
} __attribute__((packed));

struct Frame {
  af_vsockmon_hdr monitor;
  Header header;
} __attribute__((packed));

std::string Describe(const Header& header) {
  return "op " + std::to_string(header.op) + " len " +
         std::to_string(header.len) + " flags " + std::to_string(header.flags) +
         " buf_alloc " + std::to_string(header.buf_alloc) + " fwd_cnt " +
         std::to_string(header.fwd_cnt);
}

}  // namespace

Recorder::Recorder() : fd_(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL))) {
  // The first makes the interface, the others find it.
  (void)!std::system("ip link add vsockmon0 type vsockmon 2>/dev/null");
  Must(std::system("ip link set vsockmon0 up") == 0, "vsockmon");
  const int room = 64 << 20;
  Must(setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) == 0,
       "SO_RCVBUFFORCE");
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(kInterface));
  Must(bind(fd_, reinterpret_cast<const sockaddr*>(&address),
            sizeof(address)) == 0,
       "bind to vsockmon");
}

Recorder::~Recorder() { close(fd_); }

void Recorder::Print() {
  pollfd waited = {.fd = fd_, .events = POLLIN, .revents = 0};
  while (poll(&waited, 1, kQuietMs) == 1) {
    Frame frame = {};
    const ssize_t got = recv(fd_, &frame, sizeof(frame), 0);
    Must(got == sizeof(frame), "a whole header");
    if (frame.header.dst_cid != VMADDR_CID_HOST) continue;
    PrintLine("packet", Describe(frame.header));
  }
}

}  // namespace vsock::real_guest
