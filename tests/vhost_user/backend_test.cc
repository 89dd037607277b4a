#include "vsock/vhost_user/backend.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "vsock/units.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace vsock::vhost_user {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using virtqueue::GuestAddr;

constexpr uint64_t kFeatures = kVersion1 | kEventIdx | kRingPacked | 1;
// Where the front end has the guest's memory, which begins at 0.
constexpr uint64_t kUser = 0x7f0000000000;
constexpr uint64_t kMemoryBytes = 0x100000;

// Notes what it is asked.
class FakeActions final : public BackendActions {
 public:
  absl::Status SetMemory(const MemoryTable& table,
                         std::vector<FileDescriptor>) override {
    EXPECT_FALSE(running) << "memory changes under a device that runs";
    memory = table;
    return absl::OkStatus();
  }
  absl::Status SetFile(File, size_t, FileDescriptor) override {
    return absl::OkStatus();
  }
  bool Start(const DeviceSetup& setup) override {
    EXPECT_FALSE(running);
    starts.push_back(setup);
    running = accepts;
    return accepts;
  }
  std::array<RingBase, kQueues> Stop() override {
    EXPECT_TRUE(running);
    running = false;
    return stopped_at;
  }

  MemoryTable memory;
  std::vector<DeviceSetup> starts;
  bool running = false;
  bool accepts = true;
  std::array<RingBase, kQueues> stopped_at = {};
};

class BackendTest : public ::testing::Test {
 protected:
  using Answer = absl::StatusOr<std::vector<std::byte>>;

  Answer Ask(Request request, Body body = {}, uint32_t flags = 0) {
    std::vector<FileDescriptor> files;
    if (const auto* file = std::get_if<VringFile>(&body);
        file != nullptr && file->has_file) {
      files.emplace_back();
    }
    return backend_.Handle(
        {.header = {.request = request, .flags = flags}, .body = body},
        std::move(files));
  }
  void Do(Request request, Body body = {}) {
    const Answer answer = Ask(request, std::move(body));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_THAT(*answer, IsEmpty());
  }
  void SetMemory() {
    Do(Request::kSetMemTable, MemoryTable{{0, kMemoryBytes, kUser, 0}});
  }
  // What QEMU sends of one ring before it enables it.
  void SetUpRing(uint32_t index, uint32_t base = 0) {
    Do(Request::kSetVringNum, VringState{index, 128});
    Do(Request::kSetVringBase, VringState{index, base});
    const uint64_t at = kUser + 0x10000 * (index + 1);
    Do(Request::kSetVringAddr,
       VringAddr{index, 0, at, at + 0x2000, at + 0x1000, 0});
    Do(Request::kSetVringKick, VringFile{index, true});
  }
  void Enable(uint32_t enable) {
    for (const uint32_t ring : {0, 1}) {
      Do(Request::kSetVringEnable, VringState{ring, enable});
    }
  }
  void SetUp() override {
    Do(Request::kSetProtocolFeatures, Backend::kOffered);
    Do(Request::kSetOwner);
  }
  // All of it, in QEMU's order.
  void StartDevice(uint64_t features = kVersion1, uint32_t base = 0) {
    Do(Request::kSetFeatures, features | Backend::kProtocolFeatures);
    SetMemory();
    SetUpRing(0, base);
    SetUpRing(1, base);
    Enable(1);
  }

  FakeActions actions_;
  Backend backend_{{.guest_cid = Cid(3), .features = kFeatures}, actions_};
};

TEST_F(BackendTest, OffersItsFeaturesAndThatItHasProtocolFeatures) {
  EXPECT_EQ(*Ask(Request::kGetFeatures),
            EncodeReply(Request::kGetFeatures, kFeatures | uint64_t{1} << 30));
}

TEST_F(BackendTest, OffersMultiqueueReplyAckConfigAndReset) {
  EXPECT_EQ(*Ask(Request::kGetProtocolFeatures),
            EncodeReply(Request::kGetProtocolFeatures,
                        uint64_t{1 | 1 << 3 | 1 << 9 | 1 << 13}));
}

TEST_F(BackendTest, HasTwoQueues) {
  EXPECT_EQ(*Ask(Request::kGetQueueNum),
            EncodeReply(Request::kGetQueueNum, uint64_t{2}));
}

TEST_F(BackendTest, TellsTheContextIdInLittleEndian) {
  const ConfigSpace asked = {.offset = 0, .bytes = std::vector<std::byte>(8)};
  ConfigSpace cid = asked;
  cid.bytes[0] = std::byte{3};

  EXPECT_EQ(*Ask(Request::kGetConfig, asked),
            EncodeReply(Request::kGetConfig, cid));
}

TEST_F(BackendTest, HasNoConfigurationBeyondTheContextId) {
  for (const uint32_t offset : {1u, 8u, 0xffffffffu}) {
    const ConfigSpace asked = {.offset = offset,
                               .bytes = std::vector<std::byte>(8)};

    EXPECT_EQ(*Ask(Request::kGetConfig, asked),
              EncodeReply(Request::kGetConfig, ConfigSpace{}));
  }
}

TEST_F(BackendTest, StartsOnceBothRingsAreEnabled) {
  Do(Request::kSetFeatures, kVersion1 | Backend::kProtocolFeatures);
  SetMemory();
  SetUpRing(0);
  SetUpRing(1);
  Do(Request::kSetVringEnable, VringState{0, 1});
  EXPECT_FALSE(actions_.running);

  Do(Request::kSetVringEnable, VringState{1, 1});

  EXPECT_TRUE(actions_.running);
}

TEST_F(BackendTest, StartsWithTheRingsWhereTheGuestHasThem) {
  StartDevice();

  ASSERT_EQ(actions_.starts.size(), 1u);
  const DeviceSetup& setup = actions_.starts[0];
  EXPECT_EQ(setup.features, kVersion1);
  EXPECT_EQ(setup.rings[kTxQueue].size, 128);
  const auto& tx =
      std::get<virtqueue::SplitRingAddrs>(setup.rings[kTxQueue].addrs);
  EXPECT_EQ(tx.desc, GuestAddr(0x20000));
  EXPECT_EQ(tx.avail, GuestAddr(0x21000));
  EXPECT_EQ(tx.used, GuestAddr(0x22000));
}

TEST_F(BackendTest, HasEventSuppressionInPlaceOfAvailableAndUsedOnPackedRings) {
  StartDevice(kVersion1 | kRingPacked, 0x80008000);

  ASSERT_EQ(actions_.starts.size(), 1u);
  const auto& rx = std::get<virtqueue::PackedRingAddrs>(
      actions_.starts[0].rings[kRxQueue].addrs);
  EXPECT_EQ(rx.driver_events, GuestAddr(0x11000));
  EXPECT_EQ(rx.device_events, GuestAddr(0x12000));
}

TEST_F(BackendTest, StartsWithoutEnablingIfThereAreNoProtocolFeatures) {
  Do(Request::kSetFeatures, kVersion1);
  SetMemory();
  SetUpRing(0);

  SetUpRing(1);

  EXPECT_TRUE(actions_.running);
}

TEST_F(BackendTest, StopsWhenARingIsDisabledAndGoesOnWhenItIsEnabled) {
  StartDevice();

  Do(Request::kSetVringEnable, VringState{0, 0});
  EXPECT_FALSE(actions_.running);
  Do(Request::kSetVringEnable, VringState{0, 1});

  EXPECT_TRUE(actions_.running);
  EXPECT_TRUE(actions_.starts[1].resumes);
}

TEST_F(BackendTest, AnswersWhereARingStopped) {
  StartDevice();
  actions_.stopped_at = {17, 42};

  EXPECT_EQ(*Ask(Request::kGetVringBase, VringState{0, 0}),
            EncodeReply(Request::kGetVringBase, VringState{0, 17}));
  EXPECT_FALSE(actions_.running);
  EXPECT_EQ(*Ask(Request::kGetVringBase, VringState{1, 0}),
            EncodeReply(Request::kGetVringBase, VringState{1, 42}));
}

TEST_F(BackendTest, HasANewDriverWhenItsRingsBeginAgain) {
  StartDevice();
  actions_.stopped_at = {17, 42};
  for (const uint32_t ring : {0, 1}) {
    ASSERT_TRUE(Ask(Request::kGetVringBase, VringState{ring, 0}).ok());
  }

  SetUpRing(0);
  SetUpRing(1);

  ASSERT_EQ(actions_.starts.size(), 2u);
  EXPECT_FALSE(actions_.starts[1].resumes);
}

TEST_F(BackendTest, HasTheSameDriverWhenItsRingsGoOn) {
  StartDevice();
  actions_.stopped_at = {17, 42};
  for (const uint32_t ring : {0, 1}) {
    ASSERT_TRUE(Ask(Request::kGetVringBase, VringState{ring, 0}).ok());
  }

  SetUpRing(0, 17);
  SetUpRing(1, 42);

  ASSERT_EQ(actions_.starts.size(), 2u);
  EXPECT_TRUE(actions_.starts[1].resumes);
  EXPECT_EQ(actions_.starts[1].rings[kTxQueue].base, 42u);
}

TEST_F(BackendTest, GoesOnInNewMemoryWhereItStopped) {
  StartDevice();
  actions_.stopped_at = {17, 42};

  SetMemory();

  EXPECT_TRUE(actions_.running);
  EXPECT_TRUE(actions_.starts[1].resumes);
  EXPECT_EQ(actions_.starts[1].rings[kRxQueue].base, 17u);
}

TEST_F(BackendTest, TakesAPackedBaseWithoutUsedPositionForOneWithNoneInFlight) {
  StartDevice(kVersion1 | kRingPacked, 0x8005);

  EXPECT_EQ(actions_.starts[0].rings[kRxQueue].base, 0x80058005u);
}

TEST_F(BackendTest, LeavesARingAloneThatWasRefusedUntilItIsKickedAnew) {
  actions_.accepts = false;
  StartDevice();
  EXPECT_FALSE(backend_.running());
  actions_.accepts = true;
  Do(Request::kSetVringEnable, VringState{0, 1});
  EXPECT_EQ(actions_.starts.size(), 1u);

  SetUpRing(0);
  SetUpRing(1);

  EXPECT_TRUE(backend_.running());
}

TEST_F(BackendTest, ForgetsRingsAndFeaturesAtAReset) {
  StartDevice();

  Do(Request::kResetDevice);
  EXPECT_FALSE(actions_.running);

  Do(Request::kSetFeatures, kVersion1 | Backend::kProtocolFeatures);
  Enable(1);
  EXPECT_FALSE(actions_.running);
}

TEST_F(BackendTest, StopsWhenItIsClosed) {
  StartDevice();

  backend_.Close();

  EXPECT_FALSE(actions_.running);
}

TEST_F(BackendTest, AcknowledgesWhatHasNoAnswerOfItsOwnIfAsked) {
  EXPECT_EQ(*Ask(Request::kSetVringNum, VringState{0, 64}, Header::kNeedReply),
            EncodeReply(Request::kSetVringNum, uint64_t{0}));
}

TEST_F(BackendTest, AcknowledgesNothingThatWasNotNegotiated) {
  Do(Request::kSetProtocolFeatures, uint64_t{0});

  EXPECT_THAT(*Ask(Request::kSetOwner, {}, Header::kNeedReply), IsEmpty());
}

TEST_F(BackendTest, SaysThatConfigurationCantBeWritten) {
  EXPECT_EQ(*Ask(Request::kSetConfig, ConfigSpace{}, Header::kNeedReply),
            EncodeReply(Request::kSetConfig, uint64_t{1}));
}

TEST_F(BackendTest, RefusesFeaturesThatWereNotOffered) {
  EXPECT_FALSE(Ask(Request::kSetFeatures, kIndirectDesc).ok());
  EXPECT_FALSE(Ask(Request::kSetProtocolFeatures, uint64_t{1} << 12).ok());
}

TEST_F(BackendTest, RefusesRingsThatItDoesNotHave) {
  for (const Request request : {Request::kSetVringNum, Request::kSetVringBase,
                                Request::kGetVringBase}) {
    EXPECT_THAT(Ask(request, VringState{2, 1}).status().message(),
                HasSubstr("ring 2 of 2"));
  }
  EXPECT_FALSE(Ask(Request::kSetVringAddr, VringAddr{.index = 2}).ok());
  EXPECT_FALSE(Ask(Request::kSetVringCall, VringFile{255, true}).ok());
}

TEST_F(BackendTest, RefusesSizesThatNoRingHas) {
  EXPECT_FALSE(Ask(Request::kSetVringNum, VringState{0, 0}).ok());
  EXPECT_FALSE(Ask(Request::kSetVringNum, VringState{0, 32769}).ok());
  EXPECT_TRUE(Ask(Request::kSetVringNum, VringState{0, 32768}).ok());
}

TEST_F(BackendTest, RefusesToChangeARingThatRuns) {
  StartDevice();

  EXPECT_FALSE(Ask(Request::kSetVringNum, VringState{0, 64}).ok());
  EXPECT_FALSE(Ask(Request::kSetVringBase, VringState{0, 0}).ok());
  EXPECT_FALSE(Ask(Request::kSetVringAddr, VringAddr{.index = 0}).ok());
  EXPECT_FALSE(Ask(Request::kSetFeatures, kVersion1).ok());
}

TEST_F(BackendTest, RefusesRingsOutsideOfMemory) {
  StartDevice();
  ASSERT_TRUE(Ask(Request::kGetVringBase, VringState{0, 0}).ok());
  Do(Request::kSetVringAddr,
     VringAddr{0, 0, kUser + kMemoryBytes, kUser, kUser, 0});

  EXPECT_THAT(
      Ask(Request::kSetVringKick, VringFile{0, true}).status().message(),
      HasSubstr("0x7f0000100000 is in no memory region"));
}

TEST_F(BackendTest, RefusesToLogWhatItWrites) {
  EXPECT_FALSE(Ask(Request::kSetVringAddr, VringAddr{0, 1, 0, 0, 0, 0}).ok());
}

TEST_F(BackendTest, RefusesToEnableWithoutProtocolFeatures) {
  Do(Request::kSetFeatures, kVersion1);

  EXPECT_FALSE(Ask(Request::kSetVringEnable, VringState{0, 1}).ok());
}

TEST_F(BackendTest, TakesMessagesInAnyOrderThatIsComplete) {
  SetUpRing(1);
  SetUpRing(0);
  Do(Request::kSetFeatures, kVersion1 | Backend::kProtocolFeatures);
  Enable(1);
  EXPECT_FALSE(actions_.running);

  SetMemory();

  EXPECT_TRUE(actions_.running);
}

}  // namespace
}  // namespace vsock::vhost_user
