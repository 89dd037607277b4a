#include "tests/explorer/schedule_text.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "virtqueue/check.h"

namespace virtqueue {
namespace {

using Event = RingPair::Event;

class Writer {
 public:
  explicit Writer(const PlaceMap& places) : places_(places) {}

  void Write(const Event& event) {
    const bool remark = event.act.kind == ActKind::kRemark;
    const std::string number = remark ? "" : absl::StrCat(++lines_);
    absl::StrAppendFormat(&text_, "%3s %s %s\n", number, HalfText(event.half),
                          TextOf(event));
  }

  std::string text() const { return text_; }

 private:
  std::string TextOf(const Event& event) {
    switch (event.act.kind) {
      case ActKind::kStore:
        return StoreText(event.act);
      case ActKind::kLoad:
        return LoadText(event);
      case ActKind::kNotify:
        return absl::StrCat("notifies the ", HalfText(OtherHalf(event.half)));
      case ActKind::kSleep:
        return event.spurious ? "wakes up, though nobody notified it"
                              : "wakes up";
      case ActKind::kAwaitNews:
        return absl::StrCat("polls until ", places_.Text(event.act.place),
                            " changes");
      case ActKind::kAwaitEnable:
        return "is enabled";
      case ActKind::kDone:
        return "is done";
      case ActKind::kFault:
      case ActKind::kRemark:
        return event.act.text;
    }
    VSOCK_CHECK(false);
  }

  std::string StoreText(const Act& act) const {
    return absl::StrFormat("stores %s: %s%s", places_.Text(act.place),
                           ValueOf(act.place, act.value), Order(act));
  }

  std::string LoadText(const Event& event) {
    const Act& act = event.act;
    std::string text =
        absl::StrFormat("loads %s: %s%s", places_.Text(act.place),
                        ValueOf(act.place, event.loaded.value), Order(act));
    uint32_t& arrived = arrived_[static_cast<size_t>(event.half)];
    if (event.loaded.number != event.newest.number) {
      const std::string newest = ValueOf(act.place, event.newest.value);
      text += event.newest.number <= arrived
                  ? absl::StrCat("; taken before ", newest, " came")
                  : absl::StrCat("; ", newest, " is still in the ",
                                 HalfText(OtherHalf(event.half)), "'s buffer");
    }
    if (event.loaded.releases && event.loaded.half != event.half) {
      arrived = std::max(arrived, event.loaded.number);
    }
    return text;
  }

  std::string ValueOf(size_t place, uint64_t value) const {
    return ValueText(places_.part(place), value);
  }

  static std::string Order(const Act& act) {
    if (act.order == std::memory_order_relaxed) return "";
    return absl::StrCat(", ", OrderText(act.order));
  }

  const PlaceMap& places_;
  std::string text_;
  uint32_t lines_ = 0;
  // By half: the other's stores up to here have surely left its buffer.
  std::array<uint32_t, 2> arrived_ = {};
};

std::string EndText(const RingPair& pair, const RingPair::State& state) {
  const Act& driver = pair.Next(state, HalfName::kDriver);
  const Act& device = pair.Next(state, HalfName::kDevice);
  if (driver.kind == ActKind::kFault) {
    return absl::StrCat("    driver ", driver.text, "\n");
  }
  if (device.kind == ActKind::kFault) {
    return absl::StrCat("    device ", device.text, "\n");
  }
  return absl::StrFormat(
      "    %s: %d added, %d used; the %s is lost\n",
      driver.kind == ActKind::kAwaitNews ? "the driver polls, the device sleeps"
                                         : "both sleep",
      driver.value, device.value,
      driver.value != device.value ? "available buffer notification"
                                   : "used buffer notification");
}

}  // namespace

std::string ScheduleText(RingPair& pair,
                         const std::vector<RingPair::Step>& schedule) {
  std::vector<Event> events;
  RingPair::State state = pair.Begin(&events);
  for (const RingPair::Step step : schedule) {
    state = pair.Take(state, step, &events);
  }
  Writer writer(pair.stage().places());
  for (const Event& event : events) writer.Write(event);
  return writer.text() + EndText(pair, state);
}

}  // namespace virtqueue
