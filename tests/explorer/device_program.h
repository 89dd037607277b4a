// device_program.h: a device that uses each buffer it finds.
//
// It publishes a batch, or what it has when there are no more, notifies the
// driver if Publish says so, and sleeps when EnableNotifications says that it
// may. What it pops has to be the next buffer, with the bytes that the driver
// wrote.

#ifndef TESTS_EXPLORER_DEVICE_PROGRAM_H_
#define TESTS_EXPLORER_DEVICE_PROGRAM_H_

#include <cstdint>

#include "tests/explorer/half_program.h"
#include "tests/explorer/stage.h"
#include "virtqueue/chain.h"
#include "virtqueue/device_queue.h"

namespace virtqueue {

class DeviceProgram final : public HalfProgram {
 public:
  // `stage` outlives it.
  explicit DeviceProgram(const Stage& stage);
  void Run(Replay& replay) override;

 private:
  void Start(Replay& replay);
  void Sleep(Replay& replay);
  bool UseOne(Replay& replay);
  bool IsNext(const Chain& chain) const;
  void Answer(Replay& replay);
  void Publish(Replay& replay);

  const Stage& stage_;
  const Scene& scene_;
  DeviceQueue queue_;
  uint64_t used_ = 0;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_DEVICE_PROGRAM_H_
