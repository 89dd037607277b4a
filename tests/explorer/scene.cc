#include "tests/explorer/scene.h"

#include "absl/strings/str_cat.h"

namespace virtqueue {

std::string SceneText(const Scene& scene) {
  std::string text = absl::StrCat(
      scene.format == RingFormat::kPacked ? "packed" : "split", " ring of ",
      scene.size, scene.event_idx ? ", event index, " : ", flags, ",
      scene.buffers, scene.buffers == 1 ? " buffer" : " buffers",
      ", batches of ", scene.batch);
  if (scene.shape == Shape::kRequest) text += ", read by the device";
  if (scene.shape == Shape::kReply) text += ", written by the device";
  if (scene.shape == Shape::kBoth) text += ", two descriptors each";
  if (scene.in_order) text += ", in order";
  if (scene.indirect) text += ", indirect tables";
  if (scene.delayed) text += ", delayed enabling";
  if (scene.polling) text += ", the driver polls";
  if (scene.before != 0) absl::StrAppend(&text, ", after ", scene.before);
  if (scene.spurious != 0) {
    absl::StrAppend(&text, ", spurious notifications: ", scene.spurious);
  }
  if (scene.start == DeviceStart::kEnabled) text += ", enabled at some time";
  if (scene.start == DeviceStart::kWaiting) {
    text += ", enabled at some time and then waits";
  }
  return text;
}

}  // namespace virtqueue
