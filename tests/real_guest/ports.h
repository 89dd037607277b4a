// ports.h: what answers on which port, and other figures that the programs in
// the guest and those on the host agree on.

#ifndef TESTS_REAL_GUEST_PORTS_H_
#define TESTS_REAL_GUEST_PORTS_H_

#include <cstddef>
#include <cstdint>

namespace vsock::real_guest {

// Nobody listens.
inline constexpr uint32_t kNobodysPort = 7777;

// Services of the device.
inline constexpr char kServices[] =
    "echo:1000,discard:1001,source:1002,close:1003,slow:1004,"
    "source:1005:1000,source:1006:1048576";
inline constexpr uint32_t kEchoPort = 1000;
inline constexpr uint32_t kDiscardPort = 1001;
inline constexpr uint32_t kSourcePort = 1002;
inline constexpr uint32_t kClosePort = 1003;
inline constexpr uint32_t kSlowPort = 1004;
// These end their half after so many bytes, and read on.
inline constexpr uint32_t kShortSourcePort = 1005;
inline constexpr size_t kShortSourceBytes = 1000;
inline constexpr uint32_t kLongSourcePort = 1006;
inline constexpr size_t kLongSourceBytes = 1 << 20;

// Programs of the test, on AF_UNIX sockets that the device forwards to.

// Reads to the end, then sends the hash of all of it.
inline constexpr uint32_t kHashPort = 9001;
// The same, but begins to read only when the case says that it is ready.
inline constexpr uint32_t kLateHashPort = 9002;
// Reads a number, sends that many bytes of Pattern(kPatternSeed), closes.
inline constexpr uint32_t kPatternPort = 9003;
// Sends kHalfCloseBytes, ends its half, and has to hear as many after that.
inline constexpr uint32_t kHalfClosePort = 9004;
// Sends one byte and closes.
inline constexpr uint32_t kGoodbyePort = 9005;
// Sends kUnreadBytes and has to learn that nobody will read them.
inline constexpr uint32_t kIgnoredPort = 9006;
// Waits for a byte, reads no more, closes.
inline constexpr uint32_t kIgnoringPort = 9007;

// Programs in the guest, connected to by the host.

inline constexpr uint32_t kGuestEchoPort = 6001;

inline constexpr uint64_t kPatternSeed = 5;
inline constexpr uint32_t kHalfCloseBytes = 1000;
inline constexpr uint32_t kUnreadBytes = 65536;

// What the guest and the model do alike.

inline constexpr size_t kEchoRounds = 20;
constexpr size_t EchoBytes(size_t round) { return 100 + 37 * round; }

// Of a slow reader: bytes a read, and how many it lets arrive before.
inline constexpr size_t kSlowRead = 3000;
inline constexpr size_t kSlowReserve = 32768;

// Of a writer to a slow reader.
inline constexpr size_t kStalledWrite = 4096;
inline constexpr size_t kStalledWrites = 128;

// Of a reader that first takes what is not worth an update, then raises
// SO_RCVLOWAT above what is left of a full buffer.
inline constexpr size_t kStreamBuffer = 262144;
inline constexpr size_t kBeforeMark = 4000;
inline constexpr size_t kRaisedMark = 260000;

}  // namespace vsock::real_guest

#endif  // TESTS_REAL_GUEST_PORTS_H_
