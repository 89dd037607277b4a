// explore_main.cc: driver and device in every order, with a fence or without.
//
//   ./bazelw run //tests/explorer:explore -- --ring=packed
//   ./bazelw run //tests/explorer:explore -- --ring=packed --each
//   ./bazelw run //tests/explorer:explore -- --event_idx
//       --without=driver.store.avail_idx.seq_cst

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/explorer/explorer.h"
#include "tests/explorer/report.h"
#include "tests/explorer/scene.h"
#include "tests/explorer/site.h"
#include "virtqueue/ring_layout.h"

ABSL_FLAG(std::string, ring, "split", "split or packed");
ABSL_FLAG(bool, event_idx, false, "VIRTIO_F_EVENT_IDX was negotiated");
ABSL_FLAG(uint32_t, size, 2, "queue size, up to 64");
ABSL_FLAG(std::string, shape, "reply",
          "a chain is a request (read by the device), a reply, or both");
ABSL_FLAG(uint32_t, buffers, 2, "how many go round");
ABSL_FLAG(uint32_t, batch, 1, "how many are published at a time");
ABSL_FLAG(bool, delayed, false, "the driver enables notifications delayed");
ABSL_FLAG(bool, polling, false, "the driver never asks for notifications");
ABSL_FLAG(bool, in_order, false, "VIRTIO_F_IN_ORDER was negotiated");
ABSL_FLAG(bool, indirect, false,
          "VIRTIO_F_INDIRECT_DESC was negotiated; of --shape=both only, as a "
          "chain of one descriptor takes no table");
ABSL_FLAG(uint32_t, before, 0, "how many went round before");
ABSL_FLAG(uint32_t, spurious, 0, "notifications that nobody sends");
ABSL_FLAG(std::string, start, "running",
          "the device is running; or enabled at some time; or, which is wrong, "
          "enabled and then waiting for a notification");
ABSL_FLAG(std::string, without, "",
          "the fence to weaken, as --each has it: half.access.part.order");
ABSL_FLAG(std::string, to, "", "its order then; by default the next weaker");
ABSL_FLAG(std::string, word, "",
          "weaken it, to relaxed, with regard to this word alone: 'reply[0]'");
ABSL_FLAG(bool, each, false, "weaken each fence in turn");
ABSL_FLAG(uint64_t, states, 20'000'000, "give up beyond so many");

namespace virtqueue {
namespace {

constexpr int kWrongFlags = 2;

using Choices = absl::Span<const absl::string_view>;

// The position of the flag's value in `choices`.
absl::StatusOr<size_t> ReadChoice(const absl::Flag<std::string>& flag,
                                  Choices choices) {
  const std::string value = absl::GetFlag(flag);
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return i;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown value \"", value, "\""));
}

template <typename T>
absl::Status ReadNumber(const absl::Flag<uint32_t>& flag, uint32_t least,
                        uint32_t most, T& into) {
  const uint32_t value = absl::GetFlag(flag);
  if (value < least || value > most) {
    return absl::InvalidArgumentError(
        absl::StrCat(value, " is not from ", least, " to ", most));
  }
  into = static_cast<T>(value);
  return absl::OkStatus();
}

absl::Status ReadChoices(Scene& scene) {
  const auto ring = ReadChoice(FLAGS_ring, {"split", "packed"});
  const auto shape = ReadChoice(FLAGS_shape, {"request", "reply", "both"});
  const auto start = ReadChoice(FLAGS_start, {"running", "enabled", "waiting"});
  for (const auto* choice : {&ring, &shape, &start}) {
    if (!choice->ok()) return choice->status();
  }
  scene.format = static_cast<RingFormat>(*ring);
  scene.shape = static_cast<Shape>(*shape);
  scene.start = static_cast<DeviceStart>(*start);
  return absl::OkStatus();
}

void ReadSwitches(Scene& scene) {
  scene.event_idx = absl::GetFlag(FLAGS_event_idx);
  scene.delayed = absl::GetFlag(FLAGS_delayed);
  scene.polling = absl::GetFlag(FLAGS_polling);
  scene.in_order = absl::GetFlag(FLAGS_in_order);
  scene.indirect = absl::GetFlag(FLAGS_indirect);
}

absl::Status CheckChains(const Scene& scene) {
  if (scene.size < scene.descriptors()) {
    return absl::InvalidArgumentError("the ring is too small for a chain");
  }
  if (scene.indirect && scene.descriptors() == 1) {
    return absl::InvalidArgumentError("--indirect needs --shape=both");
  }
  return absl::OkStatus();
}

absl::StatusOr<Scene> ReadScene() {
  Scene scene;
  ReadSwitches(scene);
  absl::Status status = ReadChoices(scene);
  status.Update(ReadNumber(FLAGS_size, 1, 64, scene.size));
  status.Update(ReadNumber(FLAGS_buffers, 1, 64, scene.buffers));
  status.Update(ReadNumber(FLAGS_batch, 1, 64, scene.batch));
  status.Update(ReadNumber(FLAGS_before, 0, 1 << 20, scene.before));
  status.Update(ReadNumber(FLAGS_spurious, 0, 64, scene.spurious));
  status.Update(CheckRingSize(scene.format, scene.size));
  status.Update(CheckChains(scene));
  if (!status.ok()) return status;
  return scene;
}

absl::StatusOr<std::string> ReadWord(const Scene& scene) {
  const std::string word = absl::GetFlag(FLAGS_word);
  const std::vector<std::string> words = WordsOf(scene);
  if (word.empty() || absl::c_linear_search(words, word)) return word;
  return absl::InvalidArgumentError(absl::StrCat(
      "no such word here; there are\n  ", absl::StrJoin(words, "\n  ")));
}

absl::StatusOr<Weakened> ReadWeakened(const Scene& scene, uint64_t states) {
  const std::string name = absl::GetFlag(FLAGS_without);
  const std::string to = absl::GetFlag(FLAGS_to);
  const absl::StatusOr<std::string> word = ReadWord(scene);
  if (!word.ok()) return word.status();
  std::string known;
  for (const Site& site : SitesOf(scene, states)) {
    absl::StrAppend(&known, "\n  ", site.name());
    if (site.name() != name) continue;
    if (!word->empty()) {
      return Weakened{site, std::memory_order_relaxed, *word};
    }
    for (const std::memory_order order : site.Weaker()) {
      if (to.empty() || OrderText(order) == to) return Weakened{site, order};
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no such fence here; there are", known));
}

absl::StatusOr<Report> ReportByFlags() {
  const absl::StatusOr<Scene> scene = ReadScene();
  if (!scene.ok()) return scene.status();
  const uint64_t states = absl::GetFlag(FLAGS_states);
  if (absl::GetFlag(FLAGS_each))
    return Report{.text = ExploreEach(*scene, states)};
  if (absl::GetFlag(FLAGS_without).empty()) {
    return Explore(*scene, std::nullopt, states);
  }
  const absl::StatusOr<Weakened> weakened = ReadWeakened(*scene, states);
  if (!weakened.ok()) return weakened.status();
  return ExploreFewest(*scene, *weakened, states);
}

int Main() {
  const absl::StatusOr<Report> report = ReportByFlags();
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n",
                 std::string(report.status().message()).c_str());
    return kWrongFlags;
  }
  std::fputs(report->text.c_str(), stdout);
  return report->outcome == Explorer::Outcome::kSound ? 0 : 1;
}

}  // namespace
}  // namespace virtqueue

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "Runs driver and device of a ring in every order, under a model of\n"
      "memory. Exit codes: 0 nothing is lost; 1 something is, and the "
      "shortest\n"
      "schedule is printed; 2 flags are wrong.");
  absl::ParseCommandLine(argc, argv);
  return virtqueue::Main();
}
