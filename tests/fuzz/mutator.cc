#include "tests/fuzz/mutator.h"

#include <algorithm>

#include "tests/fuzz/arena.h"
#include "virtqueue/ring_format.h"
#include "virtqueue/ring_layout.h"

namespace fuzz {
namespace {

using virtqueue::RingFormat;

// Cuts what is over the limit off the end.
void Shorten(Script& script) {
  script.calls.resize(std::min(script.calls.size(), Script::kMaxCalls));
}

}  // namespace

uint64_t Mutator::AnyOf(std::initializer_list<uint64_t> values) {
  return *(values.begin() + Below(values.size()));
}

void Mutator::Mutate(Script& script) {
  do {
    MutateOnce(script);
  } while (OneIn(2));
  Shorten(script);
}

void Mutator::Cross(Script& script, const Script& from) {
  if (from.calls.empty()) return;
  const auto first = from.calls.begin() + Below(from.calls.size());
  const auto last = first + 1 + Below(from.calls.end() - first);
  const auto at = script.calls.begin() + Below(script.calls.size() + 1);
  script.calls.insert(at, first, last);
  Shorten(script);
}

void Mutator::MutateOnce(Script& script) {
  std::vector<Call>& calls = script.calls;
  if (calls.empty()) return InsertSome(script);
  const auto at = calls.begin() + Below(calls.size());
  switch (Below(16)) {
    case 0:
      return ChangeQueue(script.queue);
    case 1:
    case 2:
      calls.erase(at);
      return;
    case 3:
    case 4:
      return std::swap(*at, calls[Below(calls.size())]);
    case 5:
    case 6:
      return Repeat(script);
    case 7:
    case 8:
    case 9:
      return InsertSome(script);
    default:
      return ChangeArg(script.queue, *at);
  }
}

void Mutator::ChangeQueue(QueueSpec& queue) {
  switch (Below(8)) {
    case 5:
      queue.in_order = !queue.in_order;
      break;
    case 0:
      queue.format = queue.format == RingFormat::kSplit ? RingFormat::kPacked
                                                        : RingFormat::kSplit;
      break;
    case 1:
      queue.event_idx = !queue.event_idx;
      break;
    case 2:
      queue.indirect = !queue.indirect;
      break;
    case 3:
      queue.vast = !queue.vast;
      break;
    case 4:
      queue.table_entries = static_cast<uint16_t>(AnyOf({0, 2, 3, 4, 16}));
      break;
    default:
      queue.size = static_cast<uint16_t>(AnyOf({1, 2, 3, 4, 5, 7, 8, 16, 64}));
  }
  if (!virtqueue::CheckRingSize(queue.format, queue.size).ok()) queue.size = 4;
}

void Mutator::ChangeArg(const QueueSpec& queue, Call& call) {
  const CallSpec& spec = grammar_[call.spec];
  if (spec.args.empty()) {
    call = NewCall(queue);
    return;
  }
  const size_t i = Below(spec.args.size());
  const ArgKind kind = spec.args[i];
  uint64_t& arg = call.args[i];
  if (kind == ArgKind::kWidth || kind == ArgKind::kChain || OneIn(2)) {
    arg = NewArg(queue, kind);
  } else if (OneIn(2)) {
    arg ^= uint64_t{1} << Below(64);
  } else {
    arg += AnyOf({1, 2, 15, 16, ~uint64_t{0}, ~uint64_t{15}});
  }
  arg &= LargestOf(kind);
}

void Mutator::InsertSome(Script& script) {
  const auto at = script.calls.begin() + Below(script.calls.size() + 1);
  std::vector<Call> calls(1 + Below(4));
  for (Call& call : calls) call = NewCall(script.queue);
  script.calls.insert(at, calls.begin(), calls.end());
}

// Some lines in a row, once more behind themselves.
void Mutator::Repeat(Script& script) {
  const size_t first = Below(script.calls.size());
  const size_t most = std::min<size_t>(script.calls.size() - first, 8);
  const size_t count = 1 + Below(most);
  const std::vector<Call> calls(script.calls.begin() + first,
                                script.calls.begin() + first + count);
  script.calls.insert(script.calls.begin() + first + count, calls.begin(),
                      calls.end());
}

Call Mutator::NewCall(const QueueSpec& queue) {
  Call call;
  do {
    call.spec = Below(grammar_.size());
  } while (!grammar_[call.spec].IsFor(queue.format));
  const CallSpec& spec = grammar_[call.spec];
  for (size_t i = 0; i < spec.args.size(); ++i) {
    call.args[i] = NewArg(queue, spec.args[i]);
  }
  return call;
}

uint64_t Mutator::NewArg(const QueueSpec& queue, ArgKind kind) {
  switch (kind) {
    case ArgKind::kSlot:
    case ArgKind::kId:
      return OneIn(8) ? NewWord(queue) : Below(queue.size);
    case ArgKind::kWord:
      return NewWord(queue);
    case ArgKind::kFlags:
      return NewFlags();
    case ArgKind::kLen:
      return NewLen();
    case ArgKind::kAddr:
      return NewAddr(queue);
    case ArgKind::kValue:
      return OneIn(2) ? NewWord(queue) : random_() * uint64_t{random_()};
    case ArgKind::kWidth:
      return uint64_t{1} << Below(4);
    case ArgKind::kChain:
      return Below(OneIn(4) ? 8 : 2);
    case ArgKind::kCount:
      return OneIn(4) ? Below(queue.size + 2u) : Below(3);
  }
  return 0;
}

uint64_t Mutator::NewWord(const QueueSpec& queue) {
  switch (Below(4)) {
    case 0:
      return queue.size - 1 + Below(3);
    case 1:
      return 0xffff - Below(3);
    case 2:
      return Below(0x10000);
    default:
      return Below(2u * queue.size);
  }
}

uint64_t Mutator::NewFlags() {
  uint64_t flags = 0;
  for (const uint64_t bit : {1, 2, 4}) flags |= OneIn(3) ? bit : 0;
  if (OneIn(4)) flags |= AnyOf({0x80, 0x8000, 0x8080});
  if (OneIn(16)) flags |= Below(0x10000);
  return flags;
}

uint64_t Mutator::NewLen() {
  return OneIn(2) ? Below(65)
                  : AnyOf({0, 1, 15, 16, 17, 32, 48, 0x400, 0x401, 0x800,
                           0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff});
}

uint64_t Mutator::NewAddr(const QueueSpec& queue) {
  const uint64_t ring = virtqueue::RingBytes(queue.format, queue.size);
  switch (Below(8)) {
    case 0:
      return kRing + Below(ring);
    case 1:
      return kMiddle - Below(33);
    case 2:
      return kBuffersEnd - Below(33);
    case 3:
      return kTables + Below(64);
    case 4:
      return kVast + (OneIn(2) ? 0 : kVastBytes - Below(33));
    case 5:
      return ~uint64_t{0} - Below(33);
    default:
      return kBuffers + (OneIn(2) ? 16 * Below(128) : Below(0x800));
  }
}

}  // namespace fuzz
