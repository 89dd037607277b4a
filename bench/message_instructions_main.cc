// message_instructions: so many whole messages on one thread, and no more; for
// bench/message_instructions.sh, which counts instructions under callgrind.

#include <cstdint>
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "bench/flow_pair.h"
#include "bench/message_rounds.h"
#include "vsock/hdr.h"
#include "vsock/packet.h"
#include "vsock/work.h"

ABSL_FLAG(uint32_t, messages, 100'000, "How many messages go all the way");
ABSL_FLAG(uint32_t, bytes, 4096, "Payload of a message");
ABSL_FLAG(uint32_t, batch, 1, "How many are sent, then read together");
ABSL_FLAG(bool, stream, false, "A stream, else datagrams");
ABSL_FLAG(bool, to_host, true, "From the guest to the host, else back");
ABSL_FLAG(bool, elided, true, "Payload is elided");

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const uint32_t batch = absl::GetFlag(FLAGS_batch);
  bench::MessageRounds rounds(
      {.type = absl::GetFlag(FLAGS_stream) ? vsock::Type::kStream
                                           : vsock::Type::kDgram,
       .to_host = absl::GetFlag(FLAGS_to_host),
       .message_bytes = absl::GetFlag(FLAGS_bytes),
       .payload = absl::GetFlag(FLAGS_elided) ? vsock::PayloadMode::kElided
                                              : vsock::PayloadMode::kReal},
      batch);
  const uint32_t messages = absl::GetFlag(FLAGS_messages);
  for (uint32_t done = 0; done < messages; done += batch) rounds.Run();
  const vsock::Work work = rounds.work();
  std::printf("packets %u kicks %u interrupts %u\n", work.packets, work.kicks,
              work.interrupts);
  return 0;
}
