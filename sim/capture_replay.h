// capture_replay.h: recorded programs run again in the model, and their packets
// compared with those that Linux sent.
//
// Where each packet answers the one before it, all of them must be the same, in
// the same order: type, operation, length, flags, buf_alloc, fwd_cnt. Where the
// order depends on who ran when, the counts of each operation must be within
// 10 %, and each read must be followed by a credit update exactly when Linux's
// rule says so: something unannounced was consumed, and either less than 65536
// of the window is left or nothing is queued.
//
// The model is the loopback topology with what Linux 6.1 does beyond the rules
// (an ended socket says so again when it is closed).

#ifndef SIM_CAPTURE_REPLAY_H_
#define SIM_CAPTURE_REPLAY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sim/captured_workloads.h"
#include "sim/platform.pb.h"
#include "vsock/hdr.h"

namespace sim {

inline constexpr size_t kOps = 8;  // values of vsock::Op

struct CaptureComparison {
  std::string name;
  bool matched = false;
  std::string how;                // it was compared, or what it waits for
  uint32_t packets_compared = 0;  // of the recording
  std::string first_difference;   // empty if there is none
  std::array<uint32_t, kOps> expected{};  // packets by vsock::Op, recorded
  std::array<uint32_t, kOps> got{};       // and in the model
};

// All recordings of sim/scenarios/captures, in the order of
// CapturedWorkloads. `platform` has all its costs. Errors: no such file, or a
// property of the model that was breached.
absl::StatusOr<std::vector<CaptureComparison>> CompareCaptures(
    const Platform& platform);

// The parts of it.

struct CapturedRun {
  std::vector<vsock::VsockHdr> packets;  // as the worker takes them
  uint32_t untimely_updates = 0;         // see CapturedProgram
};

absl::StatusOr<CapturedRun> RunCaptured(const CapturedWorkload& workload,
                                        const Platform& platform);
CaptureComparison Compare(const CapturedWorkload& workload,
                          absl::Span<const vsock::VsockHdr> recorded,
                          const CapturedRun& run);

// What is unlawful of the credit of a stream whose one end only reads, as far
// as the wire shows it; empty if nothing. An update tells of something new that
// has arrived; nobody sends beyond what was announced.
std::string UnlawfulUpdate(absl::Span<const vsock::VsockHdr> packets);

}  // namespace sim

#endif  // SIM_CAPTURE_REPLAY_H_
