#include "vsock/vhost_user/message.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vsock::vhost_user {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kPlain = Header::kVersion;

// A message as 32-bit words in the order of the machine, as on the socket.
std::vector<std::byte> Words(const std::vector<uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> Numbers(const std::vector<uint64_t>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * 8);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

absl::StatusOr<Message> Parse(uint32_t request,
                              const std::vector<std::byte>& payload,
                              size_t files = 0) {
  const Header header = {.request = static_cast<Request>(request),
                         .flags = kPlain,
                         .size = static_cast<uint32_t>(payload.size())};
  return ParseMessage(header, payload, files);
}

TEST(HeaderTest, IsThreeWords) {
  const auto header = ParseHeader(Words({18, kPlain | 8, 8}));

  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->request, Request::kSetVringEnable);
  EXPECT_EQ(header->size, 8u);
  EXPECT_TRUE(header->needs_reply());
}

TEST(HeaderTest, OfAnotherVersionIsRefused) {
  EXPECT_FALSE(ParseHeader(Words({1, 0, 0})).ok());
  EXPECT_FALSE(ParseHeader(Words({1, 2, 0})).ok());
}

TEST(HeaderTest, OfAReplyIsRefused) {
  EXPECT_FALSE(ParseHeader(Words({1, kPlain | 4, 0})).ok());
}

TEST(HeaderTest, WithMorePayloadThanAnyRequestHasIsRefused) {
  EXPECT_TRUE(ParseHeader(Words({5, kPlain, 268})).ok());
  EXPECT_FALSE(ParseHeader(Words({5, kPlain, 269})).ok());
  EXPECT_FALSE(ParseHeader(Words({5, kPlain, 0xffffffff})).ok());
}

TEST(HeaderTest, CutShortIsRefused) {
  EXPECT_FALSE(ParseHeader(Words({1, kPlain})).ok());
}

TEST(MessageTest, WithoutPayloadHasNone) {
  for (const uint32_t request : {1, 3, 4, 15, 17, 34}) {
    EXPECT_TRUE(Parse(request, {}).ok()) << request;
    EXPECT_FALSE(Parse(request, Words({0})).ok()) << request;
  }
}

TEST(MessageTest, OfFeaturesIsOneNumber) {
  const auto message = Parse(2, Numbers({0x170000002}));

  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(std::get<uint64_t>(message->body), 0x170000002u);
  EXPECT_FALSE(Parse(2, Words({1})).ok());
}

TEST(MessageTest, OfARingsStateIsIndexAndNumber) {
  for (const uint32_t request : {8, 10, 11, 18}) {
    const auto message = Parse(request, Words({1, 128}));

    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(std::get<VringState>(message->body).index, 1u);
    EXPECT_EQ(std::get<VringState>(message->body).num, 128u);
    EXPECT_FALSE(Parse(request, Words({1, 128, 0})).ok());
  }
}

TEST(MessageTest, OfARingsAddressesHasUsedBeforeAvailable) {
  auto payload = Words({1, 0});
  for (const std::byte b : Numbers({0x1000, 0x2000, 0x3000, 0})) {
    payload.push_back(b);
  }

  const auto message = Parse(9, payload);

  ASSERT_TRUE(message.ok()) << message.status();
  const auto& addr = std::get<VringAddr>(message->body);
  EXPECT_EQ(addr.index, 1u);
  EXPECT_EQ(addr.desc, 0x1000u);
  EXPECT_EQ(addr.used, 0x2000u);
  EXPECT_EQ(addr.avail, 0x3000u);
}

TEST(MessageTest, OfMemoryIsACountAndRegions) {
  auto payload = Words({2, 0});
  for (const std::byte b : Numbers({0, 0xa0000, 0x7f0000000000, 0,  //
                                    0xc0000, 0x1000, 0x7f00000c0000, 0x10})) {
    payload.push_back(b);
  }

  const auto message = Parse(5, payload, /*files=*/2);

  ASSERT_TRUE(message.ok()) << message.status();
  const auto& table = std::get<MemoryTable>(message->body);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1].guest_address, 0xc0000u);
  EXPECT_EQ(table[1].size, 0x1000u);
  EXPECT_EQ(table[1].user_address, 0x7f00000c0000u);
  EXPECT_EQ(table[1].mmap_offset, 0x10u);
}

TEST(MessageTest, OfMemoryHasAFileForEachRegion) {
  const auto payload = Numbers({1, 0, 0x1000, 0, 0});

  EXPECT_TRUE(Parse(5, payload, /*files=*/1).ok());
  EXPECT_FALSE(Parse(5, payload, /*files=*/0).ok());
  EXPECT_FALSE(Parse(5, payload, /*files=*/2).ok());
}

TEST(MessageTest, OfMemoryCountsNoMoreRegionsThanItHas) {
  EXPECT_FALSE(Parse(5, Numbers({2, 0, 0x1000, 0, 0}), 2).ok());
  EXPECT_FALSE(Parse(5, Numbers({0}), 0).ok());
  EXPECT_FALSE(Parse(5, Numbers({9}), 9).ok());
  EXPECT_FALSE(Parse(5, Numbers({0xffffffff}), 8).ok());
  EXPECT_FALSE(Parse(5, Words({1}), 1).ok());
}

TEST(MessageTest, OfARingsFileHasTheFileOrSaysThatItHasNone) {
  for (const uint32_t request : {12, 13, 14}) {
    EXPECT_TRUE(Parse(request, Numbers({1}), 1).ok());
    EXPECT_TRUE(Parse(request, Numbers({0x101}), 0).ok());
    EXPECT_FALSE(Parse(request, Numbers({1}), 0).ok());
    EXPECT_FALSE(Parse(request, Numbers({1}), 2).ok());
    EXPECT_FALSE(Parse(request, Numbers({0x101}), 1).ok());
    EXPECT_FALSE(Parse(request, Numbers({0x201}), 1).ok());
  }
}

TEST(MessageTest, OfConfigurationHoldsAsManyBytesAsItSays) {
  const auto message = Parse(24, Words({0, 8, 0, 0, 0}));

  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(std::get<ConfigSpace>(message->body).bytes.size(), 8u);
  EXPECT_FALSE(Parse(24, Words({0, 8, 0, 0})).ok());
  EXPECT_FALSE(Parse(24, Words({0, 0xfffffff4, 0})).ok());
  EXPECT_FALSE(Parse(24, Words({0, 8})).ok());
}

TEST(MessageTest, WithFilesThatItDoesNotTakeIsRefused) {
  EXPECT_FALSE(Parse(1, {}, /*files=*/1).ok());
  EXPECT_FALSE(Parse(18, Words({0, 1}), /*files=*/1).ok());
}

TEST(MessageTest, OfAnUnknownRequestIsUnimplemented) {
  for (const uint32_t request : {0u, 6u, 20u, 31u, 99u, 0xffffffffu}) {
    const auto message = Parse(request, {});

    EXPECT_TRUE(absl::IsUnimplemented(message.status())) << request;
  }
}

TEST(MessageTest, FaultNamesTheRequest) {
  EXPECT_THAT(Parse(12, Numbers({1}), 0).status().message(),
              HasSubstr("SET_VRING_KICK"));
}

TEST(ReplyTest, HasTheReplyBitAndTheRequestsNumber) {
  EXPECT_EQ(EncodeReply(Request::kGetFeatures, uint64_t{7}),
            Words({1, kPlain | 4, 8, 7, 0}));
  EXPECT_EQ(EncodeReply(Request::kGetVringBase, VringState{1, 55}),
            Words({11, kPlain | 4, 8, 1, 55}));
}

TEST(ReplyTest, OfConfigurationThatIsNotThereHasNoPayload) {
  EXPECT_EQ(EncodeReply(Request::kGetConfig, ConfigSpace{}),
            Words({24, kPlain | 4, 0}));
}

TEST(RequestTest, IsReadAsItWasWritten) {
  const MemoryTable table = {{0, 0x1000, 0x7000, 0x40}};

  const auto bytes = EncodeRequest(Request::kSetMemTable, 0, Body(table));

  EXPECT_EQ(absl::MakeConstSpan(bytes).first(20), Words({5, kPlain, 40, 1, 0}));
  EXPECT_EQ(absl::MakeConstSpan(bytes).subspan(20),
            Numbers({0, 0x1000, 0x7000, 0x40}));
}

}  // namespace
}  // namespace vsock::vhost_user
