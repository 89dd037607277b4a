// driver_program.h: a driver that adds buffers and waits until all are back.
//
// It publishes a batch as soon as there is room, notifies the device if Publish
// says so, collects what is used, and sleeps when it can neither add nor
// collect and EnableNotifications says that it may; or it never asks for
// notifications and polls. A buffer that comes back has to be the next one,
// with the bytes that the device wrote.

#ifndef TESTS_EXPLORER_DRIVER_PROGRAM_H_
#define TESTS_EXPLORER_DRIVER_PROGRAM_H_

#include <cstdint>

#include "tests/explorer/half_program.h"
#include "tests/explorer/stage.h"
#include "virtqueue/driver_queue.h"

namespace virtqueue {

class DriverProgram final : public HalfProgram {
 public:
  // `stage` outlives it.
  explicit DriverProgram(const Stage& stage);
  void Run(Replay& replay) override;

 private:
  bool CanAdd() const;
  void AddBatch(Replay& replay);
  void AddOne(Replay& replay);
  bool CollectOne(Replay& replay);
  void Judge(const DriverQueue::Used& used, Replay& replay);
  void Wait(Replay& replay);
  bool Enable();

  const Stage& stage_;
  const Scene& scene_;
  DriverQueue queue_;
  uint64_t added_ = 0;
  uint64_t collected_ = 0;
};

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_DRIVER_PROGRAM_H_
