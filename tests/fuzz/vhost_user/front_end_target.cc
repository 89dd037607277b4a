#include "tests/fuzz/vhost_user/front_end_target.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "virtqueue/guest_memory.h"
#include "virtqueue/ring_layout.h"
#include "vsock/units.h"
#include "vsock/vhost_user/backend.h"
#include "vsock/vhost_user/device_setup.h"
#include "vsock/vhost_user/file_descriptor.h"
#include "vsock/vhost_user/message.h"

namespace fuzz {
namespace {

using virtqueue::GuestAddr;
using vsock::vhost_user::Backend;
using vsock::vhost_user::BackendActions;
using vsock::vhost_user::DeviceSetup;
using vsock::vhost_user::EncodeRequest;
using vsock::vhost_user::FileDescriptor;
using vsock::vhost_user::Header;
using vsock::vhost_user::kEventIdx;
using vsock::vhost_user::kHeaderBytes;
using vsock::vhost_user::kIndirectDesc;
using vsock::vhost_user::kQueues;
using vsock::vhost_user::kRingPacked;
using vsock::vhost_user::kVersion1;
using vsock::vhost_user::MemoryRegion;
using vsock::vhost_user::MemoryTable;
using vsock::vhost_user::Message;
using vsock::vhost_user::ParseHeader;
using vsock::vhost_user::ParseMessage;
using vsock::vhost_user::Request;
using vsock::vhost_user::RingBase;
using vsock::vhost_user::RingSetup;

constexpr uint64_t kOffered =
    kVersion1 | kEventIdx | kIndirectDesc | kRingPacked | 1;

// Takes part in nothing, and holds the backend to what it may ask.
class Judge final : public BackendActions {
 public:
  explicit Judge(FrontEndOutcome& outcome) : outcome_(outcome) {}

  absl::Status SetMemory(const MemoryTable& table,
                         std::vector<FileDescriptor> files) override {
    Demand(!running_, "memory changes while the device runs");
    Demand(files.size() == table.size(), "a file for each region");
    memory_ = table;
    return absl::OkStatus();
  }
  absl::Status SetFile(File, size_t queue, FileDescriptor) override {
    Demand(queue < kQueues, "a file of a ring that there is");
    return absl::OkStatus();
  }
  bool Start(const DeviceSetup& setup) override {
    Demand(!running_, "the device starts while it runs");
    Demand((setup.features & ~kOffered) == 0, "a feature was not offered");
    for (const RingSetup& ring : setup.rings) Look(ring);
    running_ = setup.features != 0;
    Say(running_ ? "starts" : "would not start");
    return running_;
  }
  std::array<RingBase, kQueues> Stop() override {
    Demand(running_, "the device stops while it does not run");
    running_ = false;
    Say("stops");
    return {7, 0x80078007};
  }

  void Demand(bool holds, absl::string_view rule) {
    if (!holds && outcome_.fault.empty()) outcome_.fault = std::string(rule);
  }
  void Say(absl::string_view what) {
    absl::StrAppend(&outcome_.trace, "    ", what, "\n");
  }
  bool running() const { return running_; }

 private:
  void Look(const RingSetup& ring) {
    Demand(ring.size >= 1 && ring.size <= 32768, "a ring of a lawful size");
    const auto in_memory = [&](GuestAddr at) {
      Demand(std::any_of(memory_.begin(), memory_.end(),
                         [&](const MemoryRegion& region) {
                           return at.value() - region.guest_address <
                                  region.size;
                         }),
             "a ring lies in memory");
    };
    if (const auto* packed =
            std::get_if<virtqueue::PackedRingAddrs>(&ring.addrs)) {
      in_memory(packed->desc);
      in_memory(packed->driver_events);
      in_memory(packed->device_events);
    } else {
      const auto& split = std::get<virtqueue::SplitRingAddrs>(ring.addrs);
      in_memory(split.desc);
      in_memory(split.avail);
      in_memory(split.used);
    }
  }

  FrontEndOutcome& outcome_;
  MemoryTable memory_;
  bool running_ = false;
};

// A message as read, without what has no meaning: the bits of its flags that
// are not asked for, the padding of a memory table.
std::vector<std::byte> Normal(const Header& header,
                              absl::Span<const std::byte> payload) {
  const std::array<uint32_t, 3> words = {
      static_cast<uint32_t>(header.request),
      Header::kVersion | (header.flags & Header::kNeedReply), header.size};
  std::vector<std::byte> bytes(kHeaderBytes);
  std::memcpy(bytes.data(), words.data(), kHeaderBytes);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  if (header.request == Request::kSetMemTable && bytes.size() >= 20) {
    std::fill_n(bytes.begin() + 16, 4, std::byte{0});
  }
  return bytes;
}

void LookAtAnswer(const std::vector<std::byte>& answer, const Header& asked,
                  Judge& judge) {
  if (answer.empty()) return;
  std::array<uint32_t, 3> words = {};
  judge.Demand(answer.size() >= kHeaderBytes, "an answer has a header");
  std::memcpy(words.data(), answer.data(),
              std::min<size_t>(answer.size(), kHeaderBytes));
  judge.Demand(words[0] == static_cast<uint32_t>(asked.request),
               "an answer is to its request");
  judge.Demand(words[1] == (Header::kVersion | Header::kReply),
               "an answer says so");
  judge.Demand(words[2] == answer.size() - kHeaderBytes,
               "an answer is as long as it says");
  judge.Say(absl::StrCat("answers ", words[2], " bytes"));
}

// What came of one message; not OK: nothing follows.
absl::Status Feed(const WrittenMessage& written, Backend& backend,
                  Judge& judge) {
  const absl::StatusOr<Header> header = ParseHeader(written.bytes);
  if (!header.ok()) return header.status();
  absl::Span<const std::byte> payload =
      absl::MakeConstSpan(written.bytes).subspan(kHeaderBytes);
  payload = payload.first(std::min<size_t>(payload.size(), header->size));
  const absl::StatusOr<Message> message =
      ParseMessage(*header, payload, written.files);
  if (!message.ok()) return message.status();
  judge.Demand(
      EncodeRequest(header->request, header->flags & Header::kNeedReply,
                    message->body) == Normal(*header, payload),
      "a message is written as it was read");
  const auto answer =
      backend.Handle(*message, std::vector<FileDescriptor>(written.files));
  if (!answer.ok()) return answer.status();
  LookAtAnswer(*answer, *header, judge);
  return absl::OkStatus();
}

}  // namespace

FrontEndOutcome RunFrontEnd(const FrontEndInput& input) {
  FrontEndOutcome outcome;
  Judge judge(outcome);
  Backend backend({.guest_cid = vsock::Cid(3), .features = kOffered}, judge);
  for (const WrittenMessage& message : input) {
    absl::StrAppend(&outcome.trace, PrintFrontEndInput({message}));
    const absl::Status status = Feed(message, backend, judge);
    if (!status.ok()) {
      judge.Say(status.message());
      judge.Demand(absl::StartsWith(status.message(), "vhost-user"),
                   "a fault says where it is");
      break;
    }
  }
  backend.Close();
  judge.Demand(!judge.running(), "the device runs after the end");
  return outcome;
}

}  // namespace fuzz
