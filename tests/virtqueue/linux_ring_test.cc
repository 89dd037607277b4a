// Ring memory that the virtio-vsock driver of Linux 6.1 wrote, read by a device
// half: an independent witness of the layout. tests/virtqueue/data/README.md
// says where the files come from.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/owned_guest_memory.h"
#include "virtqueue/packed_ring.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"
#include "virtqueue/split_ring.h"
#include "virtqueue/testing/raw_driver.h"
#include "virtqueue/testing/raw_packed.h"

namespace virtqueue {
namespace {

constexpr uint16_t kSize = 128;  // of every ring in the files
constexpr uint64_t kGuestBytes = uint64_t{64} << 20;

// A guest of 64 MiB with the ring of `file` and the buffers it names in place.
// The ring itself lies where no buffer does.
class LinuxRing {
 public:
  explicit LinuxRing(const std::string& file)
      : text_(Load("tests/virtqueue/data/" + file)), addrs_(LayOut()) {
    if (const auto* packed = std::get_if<PackedRingAddrs>(&addrs_)) {
      Write(packed->desc, Hex("descriptor_ring"));
      Write(packed->driver_events, Hex("driver_event"));
      Write(packed->device_events, Hex("device_event"));
    } else {
      const auto& split = std::get<SplitRingAddrs>(addrs_);
      Write(split.desc, Hex("descriptor_table"));
      Write(split.avail, Hex("available_ring"));
      Write(split.used, Hex("used_ring"));
    }
    WriteBuffers();
  }

  DeviceQueue Device() const {
    return *DeviceQueue::Create(
        memory_.memory(), addrs_,
        {.size = kSize, .event_idx = true, .indirect = true});
  }
  RawDriver Driver() const {
    return {memory_.memory(), std::get<SplitRingAddrs>(addrs_), kSize};
  }
  RawPacked Packed() const {
    return {memory_.memory(), std::get<PackedRingAddrs>(addrs_), kSize};
  }

 private:
  static std::string Load(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  RingAddrs LayOut() {
    size_t at = 0;
    const RingFormat format = ValueOf("ring", at) == "packed"
                                  ? RingFormat::kPacked
                                  : RingFormat::kSplit;
    return LayRing(
        format, memory_.Allocate(RingBytes(format, kSize), kCacheLine), kSize);
  }

  // The string that follows `key`.
  std::string ValueOf(absl::string_view key, size_t& at) const {
    at = text_.find("\"" + std::string(key) + "\"", at);
    const size_t from = text_.find('"', text_.find(':', at)) + 1;
    at = text_.find('"', from);
    return text_.substr(from, at - from);
  }

  std::string Hex(absl::string_view key) const {
    size_t at = 0;
    return absl::HexStringToBytes(ValueOf(key, at));
  }

  // All keys of "buffers" are hexadecimal addresses.
  void WriteBuffers() {
    size_t at = text_.find("\"buffers\"") + 9;
    for (at = text_.find('"', at); at != std::string::npos;
         at = text_.find('"', at + 1)) {
      const std::string key =
          text_.substr(at + 1, text_.find('"', at + 1) - at - 1);
      uint64_t address = 0;
      ASSERT_TRUE(absl::SimpleHexAtoi(key, &address)) << key;
      Write(GuestAddr(address), absl::HexStringToBytes(ValueOf(key, at)));
    }
  }

  void Write(GuestAddr to, const std::string& bytes) {
    const absl::Span<std::byte> place =
        *memory_.memory().Slice(to, static_cast<uint32_t>(bytes.size()));
    std::memcpy(place.data(), bytes.data(), bytes.size());
  }

  const std::string text_;
  OwnedGuestMemory memory_ =
      *OwnedGuestMemory::Create(kGuestBytes, GuestAddr(0));
  const RingAddrs addrs_;
};

std::string Bytes(const Chain& chain, size_t offset, size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(chain.CopyFrom(
      offset,
      absl::MakeSpan(reinterpret_cast<std::byte*>(bytes.data()), size)));
  return absl::BytesToHexString(bytes);
}

TEST(LinuxRingTest, RxIs128WritableBuffersOf3776Bytes) {
  const LinuxRing ring("split_rx_initial.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  for (uint32_t i = 0; i < 128; ++i) {
    ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
    EXPECT_EQ(chain.head(), i);
    EXPECT_EQ(chain.descriptors(), 1u);
    EXPECT_EQ(chain.readable_bytes(), 0u);
    EXPECT_EQ(chain.writable_bytes(), 3776u);
    device.Push(chain, 0);
  }
  EXPECT_EQ(device.Pop(chain), DeviceQueue::PopResult::kEmpty);
}

TEST(LinuxRingTest, RxAsksToBeNotifiedOfTheFirstUsedBuffer) {
  const LinuxRing ring("split_rx_initial.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  for (const bool first : {true, false}) {
    ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
    device.Push(chain, 44);
    EXPECT_EQ(device.Publish(), first);
  }
  EXPECT_EQ(ring.Driver().Used().size(), 2u);
}

// 5.10.6, in hexadecimal: from cid 3 to cid 2, type stream (1), no flags,
// buf_alloc 0x40000, fwd_cnt 0.
constexpr char kRequest[] = "0100";
constexpr char kRw[] = "0500";
std::string Header(const std::string& src_port, const std::string& dst_port,
                   const std::string& len, const std::string& op) {
  return "03000000000000000200000000000000" + src_port + dst_port + len +
         "0100" + op + "00000000" + "00000400" + "00000000";
}

TEST(LinuxRingTest, FirstRequestIsOneReadableHeader) {
  const LinuxRing ring("split_tx_first_request.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
  EXPECT_EQ(chain.descriptors(), 1u);
  EXPECT_EQ(chain.writable_bytes(), 0u);
  ASSERT_EQ(chain.readable_bytes(), 44u);
  EXPECT_EQ(Bytes(chain, 0, 44),
            Header("8b2f3dea", "611e0000", "00000000", kRequest));
  device.Push(chain, 0);
  EXPECT_EQ(device.Pop(chain), DeviceQueue::PopResult::kEmpty);
}

// RW (5) of one byte, 0x01, header and payload from an indirect table. It is
// the third packet, and all three entries name the descriptor that it reused.
TEST(LinuxRingTest, FirstDataIsATableOfHeaderAndPayload) {
  const LinuxRing ring("split_tx_first_data.json");
  DeviceQueue device = ring.Device();
  Chain chain;
  std::vector<std::string> packets;
  uint32_t descriptors = 0;  // of the last one
  while (device.Pop(chain) == DeviceQueue::PopResult::kChain) {
    packets.push_back(Bytes(chain, 0, chain.readable_bytes()));
    EXPECT_EQ(chain.writable_bytes(), 0u);
    descriptors = chain.descriptors();
    device.Push(chain, 0);
  }

  ASSERT_TRUE(device.status().ok());
  ASSERT_EQ(packets.size(), 3u);
  EXPECT_EQ(descriptors, 2u);
  EXPECT_EQ(packets.back(),
            Header("8c2f3dea", "88130000", "01000000", kRw) + "01");
}

TEST(LinuxPackedRingTest, RxIs128WritableBuffersOf3776BytesWithIdsInOrder) {
  const LinuxRing ring("packed_rx_initial.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  for (uint32_t i = 0; i < 128; ++i) {
    ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
    EXPECT_EQ(chain.head(), i);
    EXPECT_EQ(chain.descriptors(), 1u);
    EXPECT_EQ(chain.readable_bytes(), 0u);
    EXPECT_EQ(chain.writable_bytes(), 3776u);
    device.Push(chain, 0);
  }
  EXPECT_EQ(device.Pop(chain), DeviceQueue::PopResult::kEmpty);
}

TEST(LinuxPackedRingTest, RxAsksToBeNotifiedOfEachUsedBuffer) {
  const LinuxRing ring("packed_rx_initial.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  for (uint16_t slot = 0; slot < 2; ++slot) {
    ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
    device.Push(chain, 44);
    EXPECT_TRUE(device.Publish());
    EXPECT_EQ(ring.Packed().Read(slot).len, 44u);
    EXPECT_EQ(ring.Packed().Read(slot).flags, 0x8082);
  }
}

TEST(LinuxPackedRingTest, FirstRequestIsOneReadableHeader) {
  const LinuxRing ring("packed_tx_first_request.json");
  DeviceQueue device = ring.Device();
  Chain chain;

  ASSERT_EQ(device.Pop(chain), DeviceQueue::PopResult::kChain);
  EXPECT_EQ(chain.descriptors(), 1u);
  EXPECT_EQ(chain.writable_bytes(), 0u);
  ASSERT_EQ(chain.readable_bytes(), 44u);
  EXPECT_EQ(Bytes(chain, 0, 44),
            Header("0966ab73", "611e0000", "00000000", kRequest));
  device.Push(chain, 0);
  EXPECT_EQ(device.Pop(chain), DeviceQueue::PopResult::kEmpty);
}

}  // namespace
}  // namespace virtqueue
