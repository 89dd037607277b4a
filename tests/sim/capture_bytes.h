// capture_bytes.h: captures of link type 271 for tests, lawful or not.
//
// Format: pcap with the nanosecond magic; the vsockmon header and the packet
// header of virtio 1.3, 5.10.6, written field by field, without the code under
// test.

#ifndef TESTS_SIM_CAPTURE_BYTES_H_
#define TESTS_SIM_CAPTURE_BYTES_H_

#include <cstdint>
#include <string>

namespace sim {

struct CapturePacket {
  uint32_t seconds = 0;
  uint32_t nanoseconds = 0;
  uint64_t src_cid = 3;
  uint64_t dst_cid = 2;
  uint32_t src_port = 1000;
  uint32_t dst_port = 10;
  uint16_t type = 1;              // stream
  uint16_t op = 5;                // RW
  uint32_t len = 0;               // of the packet header
  uint16_t transport = 2;         // virtio
  uint16_t transport_bytes = 44;  // as the vsockmon header claims
  uint32_t kept = 76;             // bytes of the packet in the file
  uint32_t wire_bytes = 0;        // as the record claims; 0: 76 + len
};

std::string CaptureHead(uint32_t link_type = 271);
std::string CaptureRecord(const CapturePacket& packet);

}  // namespace sim

#endif  // TESTS_SIM_CAPTURE_BYTES_H_
