#include "bench/tap_frames.h"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace bench {
namespace {

// What a device would read.
std::vector<std::byte> Bytes(TapFrames& frames) {
  std::vector<std::byte> bytes;
  for (const iovec& part : frames.parts()) {
    const auto* from = static_cast<const std::byte*>(part.iov_base);
    bytes.insert(bytes.end(), from, from + part.iov_len);
  }
  return bytes;
}

TEST(TapFramesTest, ContiguousFrameIsOneBufferOfAllItsParts) {
  TapFrames frames(FrameShape::kContiguous, /*frames=*/2,
                   /*payload_bytes=*/1448);

  frames.Compose(2);

  ASSERT_EQ(frames.parts().size(), 2u);
  EXPECT_EQ(frames.parts()[1].iov_len, 4u + 14 + 20 + 1448);
}

TEST(TapFramesTest, GatheredFrameIsLengthEthernetIpAndPayload) {
  TapFrames frames(FrameShape::kGathered, /*frames=*/2, /*payload_bytes=*/1448);

  frames.Compose(2);

  ASSERT_EQ(frames.parts().size(), 8u);
  EXPECT_EQ(frames.parts()[4].iov_len, 4u);
  EXPECT_EQ(frames.parts()[5].iov_len, 14u);
  EXPECT_EQ(frames.parts()[6].iov_len, 20u);
  EXPECT_EQ(frames.parts()[7].iov_len, 1448u);
}

TEST(TapFramesTest, DeviceReadsTheSameBytesInEitherShape) {
  TapFrames contiguous(FrameShape::kContiguous, /*frames=*/3,
                       /*payload_bytes=*/500);
  TapFrames gathered(FrameShape::kGathered, /*frames=*/3,
                     /*payload_bytes=*/500);

  contiguous.Compose(3);
  gathered.Compose(3);

  EXPECT_EQ(Bytes(contiguous), Bytes(gathered));
}

TEST(TapFramesTest, LengthWordCountsWhatFollowsBigEndian) {
  TapFrames frames(FrameShape::kGathered, /*frames=*/1, /*payload_bytes=*/1000);

  frames.Compose(1);

  const std::vector<std::byte> bytes = Bytes(frames);
  EXPECT_EQ(bytes[2], std::byte{1034 >> 8});
  EXPECT_EQ(bytes[3], std::byte{1034 & 0xff});
}

TEST(TapFramesTest, EachFrameHasItsOwnPayload) {
  TapFrames frames(FrameShape::kGathered, /*frames=*/2, /*payload_bytes=*/64);

  frames.Compose(2);

  EXPECT_NE(frames.parts()[3].iov_base, frames.parts()[7].iov_base);
}

}  // namespace
}  // namespace bench
