// A Linux guest under QEMU drives //vsock/vhost_user:device. The cases are
// programs in the guest (guest/main.cc); docs/real_guest.md has the table.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/real_guest/device_process.h"
#include "tests/real_guest/files.h"
#include "tests/real_guest/model_packets.h"
#include "tests/real_guest/session.h"

namespace vsock::real_guest {
namespace {

using ::testing::IsEmpty;

constexpr const char* kCases[] = {"connect_refused",
                                  "echo_1",
                                  "echo_100",
                                  "echo_4096",
                                  "echo_65536",
                                  "echo_100000",
                                  "to_host_16_mib",
                                  "to_guest_16_mib",
                                  "both_ways_16_mib",
                                  "small_packets",
                                  "hundred_at_once",
                                  "thousand_in_sequence",
                                  "guest_closes_its_half",
                                  "host_closes_its_half",
                                  "host_closes",
                                  "guest_closes_unread",
                                  "host_closes_unread",
                                  "host_reads_late",
                                  "guest_reads_late",
                                  "low_water",
                                  "buffer_size_changes",
                                  "discard",
                                  "source",
                                  "close_on_accept",
                                  "slow_service",
                                  "host_connects",
                                  "host_is_refused"};

// Those of kCases to ports of kServices: one each of connect_refused, the
// echoes, both_ways_16_mib, buffer_size_changes and the four of the other
// services, and those counted.
constexpr uint64_t kConnectionsToServices = 1 + 5 + 1 + 1 + 4 + 100 + 1000;

// Counters of what a guest must not do, and the device not lose. What is on its
// way to a socket that closes is lost: host_closes_unread.
bool MustBeZero(absl::string_view counter) {
  return absl::EndsWith(counter, "_faults") ||
         (absl::StartsWith(counter, "dropped_") &&
          !absl::StrContains(counter, "_socket_closed_")) ||
         counter == "rst_answered";
}

// VIRTIO_F_*, virtio 1.3, 6.
constexpr size_t kIndirectDesc = 28;
constexpr size_t kEventIdx = 29;
constexpr size_t kRingPacked = 34;

// Found before the first test leaves the folder they are in.
const Files& TheFiles() {
  static const Files* const files = new Files(Files::Find());
  return *files;
}

class RealGuestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!TheFiles().missing.empty()) {
      GTEST_SKIP() << "no guest without " << TheFiles().missing
                   << "; ./bazelw test gets them where it can";
    }
    // Names of sockets have to be short.
    ASSERT_EQ(chdir(getenv("TEST_TMPDIR")), 0);
    device_.emplace(TheFiles().device, "vsock");
  }

  // Runs `cases` in a guest, all of which have to end well.
  void Run(const std::string& properties,
           const std::vector<std::string>& cases) {
    Session session(TheFiles(), *device_, properties, cases);
    session.Run();
    std::vector<std::string> wrong = session.complaints();
    for (const std::string& name : cases) {
      const std::string verdict = session.Verdict(name);
      if (verdict != "ok") wrong.push_back(name + ": " + verdict);
    }
    EXPECT_THAT(wrong, IsEmpty()) << session.console();
    EXPECT_TRUE(device_->IsRunning());
    features_ = session.features();
  }

  void RunAll(const std::string& properties) {
    Run(properties, {std::begin(kCases), std::end(kCases)});
    auto counters = device_->Stop();
    EXPECT_EQ(counters["drivers"], 1u);
    EXPECT_EQ(counters["connections_accepted"], kConnectionsToServices);
    for (const auto& [name, value] : counters) {
      EXPECT_TRUE(value == 0 || !MustBeZero(name)) << name << " " << value;
    }
  }

  // By the driver of the guest that ran.
  bool Negotiated(size_t bit) const {
    return bit < features_.size() && features_[bit] == '1';
  }

  std::optional<DeviceProcess> device_;
  std::string features_;
};

TEST_F(RealGuestTest, EveryCaseHoldsOnTheSplitRing) {
  RunAll("");

  EXPECT_TRUE(Negotiated(kEventIdx));
  EXPECT_TRUE(Negotiated(kIndirectDesc));
  EXPECT_FALSE(Negotiated(kRingPacked));
}

TEST_F(RealGuestTest, EveryCaseHoldsWithoutEventIdx) {
  RunAll("event_idx=off");

  EXPECT_FALSE(Negotiated(kEventIdx));
}

TEST_F(RealGuestTest, EveryCaseHoldsWithoutIndirectTables) {
  RunAll("indirect_desc=off");

  EXPECT_FALSE(Negotiated(kIndirectDesc));
}

TEST_F(RealGuestTest, EveryCaseHoldsOnThePackedRing) {
  RunAll("packed=on");

  EXPECT_TRUE(Negotiated(kRingPacked));
}

// The same calls by an application over vsock/driver.h, and the same device.
TEST_F(RealGuestTest, LinuxSendsThePacketsThatTheModelSends) {
  std::vector<std::string> cases(std::begin(kPacketCases),
                                 std::end(kPacketCases));
  cases.emplace_back(kRaisedMarkCase);
  Session session(TheFiles(), *device_, "", cases);

  session.Run();

  for (const absl::string_view name : kPacketCases) {
    EXPECT_EQ(session.Packets(name), ModelPackets(name)) << name;
  }
  std::vector<std::string> model = ModelPackets(kRaisedMarkCase);
  model.pop_back();  // not by Linux 6.1: docs/model.md
  EXPECT_EQ(session.Packets(kRaisedMarkCase), model);
}

TEST_F(RealGuestTest, GuestOutlivesTheDevice) {
  Run("", {"device_is_restarted", "echo_1"});
}

TEST_F(RealGuestTest, DeviceOutlivesTheGuest) {
  Session session(TheFiles(), *device_, "", {"guest_is_killed"});

  session.Run();

  EXPECT_EQ(session.Verdict("guest_is_killed"), "nothing");
  EXPECT_THAT(session.complaints(), IsEmpty());
  Run("", {"echo_1"});
}

}  // namespace
}  // namespace vsock::real_guest
