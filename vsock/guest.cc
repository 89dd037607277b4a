#include "vsock/guest.h"

#include <utility>

namespace vsock {
namespace {

uint64_t ArenaBytes(const Guest::Options& options) {
  return options.payload == PayloadMode::kReal ? options.payload_bytes : 64;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Guest>> Guest::Create(const Options& options) {
  absl::StatusOr<virtqueue::OwnedGuestMemory> memory =
      virtqueue::OwnedGuestMemory::Create(ArenaBytes(options) +
                                          Driver::MemoryBytes(options.driver));
  if (!memory.ok()) return memory.status();
  std::unique_ptr<Guest> guest(new Guest(options, *std::move(memory)));
  absl::StatusOr<std::unique_ptr<Driver>> driver =
      Driver::Create(guest->memory_, options.driver, *guest->transport_,
                     guest->pool_, guest->send_list_);
  if (!driver.ok()) return driver.status();
  guest->driver_ = *std::move(driver);
  return guest;
}

Guest::Guest(const Options& options, virtqueue::OwnedGuestMemory memory)
    : memory_(std::move(memory)),
      arena_(PayloadArena::In(memory_, ArenaBytes(options))),
      pool_(options.payload, &arena_) {
  router_.SetDefault(send_list_);
  transport_ = std::make_unique<Transport>(options.transport, pool_, router_,
                                           tail_drop_);
}

}  // namespace vsock
