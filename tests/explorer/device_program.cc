#include "tests/explorer/device_program.h"

#include "absl/strings/str_cat.h"

namespace virtqueue {
namespace {

// The bytes of `word` and nothing else.
template <typename Spans>
bool IsOnly(const Spans& spans, const void* word) {
  if (spans.size() != 1) return false;
  const auto only = *spans.begin();
  return only.data() == word && only.size() == sizeof(uint64_t);
}

}  // namespace

DeviceProgram::DeviceProgram(const Stage& stage)
    : stage_(stage), scene_(stage.scene()), queue_(stage.MakeDevice()) {}

void DeviceProgram::Run(Replay& replay) {
  Start(replay);
  while (!replay.stopped()) {
    if (replay.NextIsLast()) replay.BeginRound(queue_.Save({}), used_, used_);
    if (UseOne(replay)) continue;
    Publish(replay);
    if (!queue_.EnableNotifications()) replay.Sleep(used_);
    queue_.DisableNotifications();
  }
}

void DeviceProgram::Start(Replay& replay) {
  if (scene_.start == DeviceStart::kRunning) return;
  replay.AwaitEnable();
  if (scene_.start == DeviceStart::kWaiting) replay.Sleep(used_);
}

bool DeviceProgram::UseOne(Replay& replay) {
  Chain chain;
  const DeviceQueue::PopResult popped = queue_.Pop(chain);
  if (popped == DeviceQueue::PopResult::kBroken) {
    replay.Fault(
        absl::StrCat("finds the ring broken: ", queue_.status().message()));
  }
  if (popped != DeviceQueue::PopResult::kChain || replay.stopped()) {
    return false;
  }
  replay.Remark("uses", used_);
  if (!IsNext(chain)) {
    replay.Fault(absl::StrCat("pops a chain that is not buffer ", used_));
    return false;
  }
  Answer(replay);
  queue_.Push(chain, scene_.has_reply() ? sizeof(uint64_t) : 0);
  if (++used_ % scene_.batch == 0) Publish(replay);
  return true;
}

bool DeviceProgram::IsNext(const Chain& chain) const {
  const bool readable = scene_.has_request()
                            ? IsOnly(chain.readable(), &stage_.request(used_))
                            : chain.readable().empty();
  const bool writable = scene_.has_reply()
                            ? IsOnly(chain.writable(), &stage_.reply(used_))
                            : chain.writable().empty();
  return readable && writable;
}

void DeviceProgram::Answer(Replay& replay) {
  if (scene_.has_request()) {
    const uint64_t request = stage_.request(used_).Load();
    if (request != RequestOf(used_)) {
      replay.Fault(absl::StrCat("reads ", request, " in buffer ", used_));
    }
  }
  if (scene_.has_reply()) stage_.reply(used_).Store(ReplyTo(used_));
}

void DeviceProgram::Publish(Replay& replay) {
  if (queue_.Publish()) replay.Notify();
}

}  // namespace virtqueue
