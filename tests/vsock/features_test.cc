// Which socket types exist for which feature bits: all sixteen combinations.

#include "vsock/features.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace vsock {
namespace {

struct Row {
  uint64_t bits;
  bool stream;
  bool seqpacket;
  bool dgram;
};

class FeaturesTest : public ::testing::TestWithParam<Row> {};

// Bits: STREAM 1, SEQPACKET 2, NO_IMPLIED_STREAM 4, DGRAM 8.
INSTANTIATE_TEST_SUITE_P(
    AllBits, FeaturesTest,
    ::testing::Values(Row{0, true, false, false},   //
                      Row{1, true, false, false},   //
                      Row{2, true, true, false},    // implied
                      Row{3, true, true, false},    //
                      Row{4, false, false, false},  // nothing was negotiated
                      Row{5, true, false, false},   //
                      Row{6, false, true, false},   // not implied
                      Row{7, true, true, false},    //
                      Row{8, true, false, true},    // implied, by analogy
                      Row{9, true, false, true},    //
                      Row{10, true, true, true},    //
                      Row{11, true, true, true},    //
                      Row{12, false, false, true},  //
                      Row{13, true, false, true},   //
                      Row{14, false, true, true},   //
                      Row{15, true, true, true}));

TEST_P(FeaturesTest, AllowTheTypesThatWereNegotiatedOrAreImplied) {
  const Features features(GetParam().bits);

  EXPECT_EQ(features.Allow(Type::kStream), GetParam().stream);
  EXPECT_EQ(features.Allow(Type::kSeqpacket), GetParam().seqpacket);
  EXPECT_EQ(features.Allow(Type::kDgram), GetParam().dgram);
}

TEST(FeaturesNegotiateTest, DriverAcceptsNoBitThatWasNotOffered) {
  const Features offered(Features::kStream | Features::kDgram);
  const Features known(Features::kStream | Features::kSeqpacket);

  EXPECT_EQ(Negotiate(offered, known).bits(), Features::kStream);
}

TEST(FeaturesTest, UnknownTypeIsNeverAllowed) {
  EXPECT_FALSE(Features(~uint64_t{0}).Allow(static_cast<Type>(4)));
}

}  // namespace
}  // namespace vsock
