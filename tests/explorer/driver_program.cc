#include "tests/explorer/driver_program.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "virtqueue/check.h"

namespace virtqueue {

DriverProgram::DriverProgram(const Stage& stage)
    : stage_(stage), scene_(stage.scene()), queue_(stage.MakeDriver()) {}

void DriverProgram::Run(Replay& replay) {
  queue_.DisableNotifications();
  while (!replay.stopped() && collected_ != scene_.buffers) {
    if (replay.NextIsLast()) {
      replay.BeginRound(queue_.Save(), added_, collected_);
    }
    AddBatch(replay);
    if (!CollectOne(replay) && !CanAdd()) Wait(replay);
  }
  replay.Done();
}

bool DriverProgram::CanAdd() const {
  return added_ != scene_.buffers &&
         queue_.free_descriptors() >= scene_.slots();
}

void DriverProgram::AddBatch(Replay& replay) {
  if (!CanAdd()) return;
  for (uint16_t i = 0; i < scene_.batch && CanAdd(); ++i) AddOne(replay);
  if (queue_.Publish()) replay.Notify();
}

void DriverProgram::AddOne(Replay& replay) {
  std::vector<DriverQueue::Buffer> readable;
  std::vector<DriverQueue::Buffer> writable;
  replay.Remark("adds", added_);
  if (scene_.has_request()) {
    stage_.request(added_).Store(RequestOf(added_));
    readable.push_back({stage_.request_at(added_), sizeof(uint64_t)});
  }
  if (scene_.has_reply()) {
    writable.push_back({stage_.reply_at(added_), sizeof(uint64_t)});
  }
  VSOCK_CHECK(replay.stopped() || queue_.Add(readable, writable, added_) ==
                                      DriverQueue::AddResult::kAdded);
  ++added_;
}

bool DriverProgram::CollectOne(Replay& replay) {
  const std::optional<DriverQueue::Used> used = queue_.Collect();
  if (!queue_.status().ok()) {
    replay.Fault(
        absl::StrCat("quarantines the ring: ", queue_.status().message()));
  }
  if (!used || replay.stopped()) return false;
  Judge(*used, replay);
  ++collected_;
  return true;
}

void DriverProgram::Judge(const DriverQueue::Used& used, Replay& replay) {
  replay.Remark("collects", used.token);
  const uint32_t len = scene_.has_reply() ? sizeof(uint64_t) : 0;
  if (used.token != collected_ || used.len != len) {
    replay.Fault(absl::StrCat("is told of buffer ", used.token, " with ",
                              used.len, " bytes"));
  }
  if (!scene_.has_reply()) return;
  const uint64_t reply = stage_.reply(used.token).Load();
  if (reply != ReplyTo(used.token)) {
    replay.Fault(absl::StrCat("reads ", reply, " in buffer ", used.token));
  }
}

void DriverProgram::Wait(Replay& replay) {
  if (scene_.polling) return replay.AwaitNews(added_);
  if (Enable()) return;
  replay.Sleep(added_);
  queue_.DisableNotifications();
}

bool DriverProgram::Enable() {
  return scene_.delayed ? queue_.EnableNotificationsDelayed()
                        : queue_.EnableNotifications();
}

}  // namespace virtqueue
