// The header's bytes against a dump made by hand, and its small vocabulary.

#include "vsock/hdr.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "vsock/units.h"

namespace vsock {
namespace {

using Bytes = std::array<uint8_t, 44>;

// Offsets 0 8 16 20 24 28 30 32 36 40, little-endian.
constexpr Bytes kDump = {
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // src_cid 3
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // dst_cid 2
    0x2e, 0x00, 0x90, 0xe1,                          // src_port 0xe190002e
    0x61, 0x1e, 0x00, 0x00,                          // dst_port 7777
    0x00, 0x00, 0x01, 0x00,                          // len 65536
    0x01, 0x00,                                      // type STREAM
    0x05, 0x00,                                      // op RW
    0x03, 0x00, 0x00, 0x80,                          // flags 0x80000003
    0x00, 0x00, 0x04, 0x00,                          // buf_alloc 262144
    0x00, 0x10, 0x03, 0x00,                          // fwd_cnt 200704
};

VsockHdr Example() {
  VsockHdr hdr;
  hdr.set_source({Cid(3), Port(0xe190002e)});
  hdr.set_destination({kCidHost, Port(7777)});
  hdr.len = 65536;
  hdr.set(Type::kStream, Op::kRw);
  hdr.flags = 0x80000003;
  hdr.buf_alloc = 262144;
  hdr.fwd_cnt = 200704;
  return hdr;
}

TEST(VsockHdrTest, IsTheBytesOfTheWire) {
  const VsockHdr hdr = Example();
  Bytes bytes;
  std::memcpy(bytes.data(), &hdr, sizeof(hdr));

  EXPECT_EQ(sizeof(hdr), bytes.size());
  EXPECT_EQ(bytes, kDump);
}

TEST(VsockHdrTest, ReadsTheBytesOfTheWire) {
  VsockHdr hdr;
  std::memcpy(&hdr, kDump.data(), kDump.size());

  EXPECT_EQ(hdr.source(), (Address{Cid(3), Port(0xe190002e)}));
  EXPECT_EQ(hdr.destination(), (Address{Cid(2), Port(7777)}));
  EXPECT_EQ(hdr.len, 65536u);
  EXPECT_TRUE(hdr.is(Type::kStream));
  EXPECT_TRUE(hdr.is(Op::kRw));
  EXPECT_FALSE(hdr.is(Op::kRst));
  EXPECT_EQ(hdr.flags, 0x80000003u);
  EXPECT_EQ(hdr.buf_alloc, 262144u);
  EXPECT_EQ(hdr.fwd_cnt, 200704u);
}

TEST(VsockHdrTest, KeepsAllBitsOfAContextId) {
  VsockHdr hdr;
  hdr.src_cid = 0x1122334455667788;

  EXPECT_EQ(hdr.source().cid.value(), 0x1122334455667788u);
}

TEST(VsockHdrTest, NumbersAreThoseOfTheSpecification) {
  EXPECT_EQ(static_cast<int>(Type::kStream), 1);
  EXPECT_EQ(static_cast<int>(Type::kSeqpacket), 2);
  EXPECT_EQ(static_cast<int>(Type::kDgram), 3);
  EXPECT_EQ(kShutdownReceive, 1u);
  EXPECT_EQ(kShutdownSend, 2u);
  EXPECT_EQ(kMaxPayload, 65536u);
}

TEST(VsockHdrTest, OpsPrintAsTheSpecificationNamesThem) {
  const std::array<std::string, 9> names = {
      "INVALID", "REQUEST",       "RESPONSE",       "RST", "SHUTDOWN",
      "RW",      "CREDIT_UPDATE", "CREDIT_REQUEST", "op 8"};
  for (uint16_t op = 0; op < names.size(); ++op) {
    std::ostringstream out;
    out << static_cast<Op>(op);
    EXPECT_EQ(out.str(), names[op]);
  }
}

}  // namespace
}  // namespace vsock
