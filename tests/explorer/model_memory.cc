#include "tests/explorer/model_memory.h"

#include <algorithm>
#include <numeric>

#include "virtqueue/check.h"

namespace virtqueue {
namespace {

bool Acquires(std::memory_order order) {
  return order == std::memory_order_acquire ||
         order == std::memory_order_seq_cst;
}

bool Releases(std::memory_order order) {
  return order == std::memory_order_release ||
         order == std::memory_order_seq_cst;
}

}  // namespace

ModelMemory::ModelMemory(absl::Span<const uint64_t> values)
    : words_(values.size()) {
  for (size_t i = 0; i < values.size(); ++i) {
    words_[i].stored.push_back({.value = values[i]});
  }
}

void ModelMemory::Store(HalfName half, size_t place, uint64_t value,
                        std::memory_order order) {
  Word& word = words_[place];
  word.stored.push_back({.value = value,
                         .number = ++stores_[Index(half)],
                         .half = half,
                         .releases = Releases(order),
                         .seq_cst = order == std::memory_order_seq_cst});
  const size_t last = word.stored.size() - 1;
  VSOCK_CHECK(last <= 0xff);
  if (order == std::memory_order_seq_cst) {
    word.seq_cst = static_cast<uint8_t>(last);
  }
  RaiseFloor(word, half, last);
}

absl::Span<const ModelMemory::Stored> ModelMemory::Visible(
    HalfName half, size_t place, std::memory_order order) const {
  const Word& word = words_[place];
  return absl::MakeConstSpan(word.stored)
      .subspan(LowestVisible(word, half, order));
}

void ModelMemory::Load(HalfName half, size_t place, const Look& look) {
  Word& word = words_[place];
  const size_t index = LowestVisible(word, half, look.order) + look.choice;
  const Stored seen = word.stored[index];
  RaiseFloor(word, half, index);
  if (Acquires(look.order) && seen.releases && seen.half != half) {
    Acquire(half, seen.number, look.withheld);
  }
}

void ModelMemory::Acquire(HalfName half, uint32_t number,
                          std::optional<size_t> withheld) {
  for (size_t place = 0; place < words_.size(); ++place) {
    if (place == withheld) continue;
    Word& word = words_[place];
    for (size_t i = word.stored.size(); i-- > 0;) {
      const Stored& stored = word.stored[i];
      if (stored.half == half || stored.number > number) continue;
      RaiseFloor(word, half, i);
      break;
    }
  }
}

void ModelMemory::AppendTo(std::vector<uint64_t>& key,
                           const std::array<uint32_t, 2>& upto) const {
  const std::array<std::vector<uint64_t>, 2> ranks = {Ranks(HalfName::kDriver),
                                                      Ranks(HalfName::kDevice)};
  key.push_back(ranks[0][upto[0]] | ranks[1][upto[1]] << 32);
  for (size_t place = 0; place < words_.size(); ++place) {
    const Word& word = words_[place];
    if (word.stored.back().number == 0) continue;  // as in the beginning
    key.push_back(place | word.stored.size() << 16 |
                  uint64_t{word.floor[0]} << 32 |
                  uint64_t{word.floor[1]} << 40 | uint64_t{word.seq_cst} << 48);
    for (const Stored& stored : word.stored) {
      key.push_back(ranks[Index(stored.half)][stored.number] << 8 |
                    Index(stored.half) | uint64_t{stored.releases} << 1 |
                    uint64_t{stored.seq_cst} << 2);
      key.push_back(stored.value);
    }
  }
}

std::vector<uint64_t> ModelMemory::Ranks(HalfName half) const {
  std::vector<uint64_t> ranks(stores(half) + 1, 0);
  for (const Word& word : words_) {
    for (const Stored& stored : word.stored) {
      if (stored.half == half && stored.number != 0) ranks[stored.number] = 1;
    }
  }
  std::partial_sum(ranks.begin(), ranks.end(), ranks.begin());
  return ranks;
}

// Drops what nobody can see any more.
void ModelMemory::RaiseFloor(Word& word, HalfName half, size_t floor) {
  uint8_t& own = word.floor[Index(half)];
  own = std::max(own, static_cast<uint8_t>(floor));
  const uint8_t unseen = std::min(word.floor[0], word.floor[1]);
  if (unseen == 0) return;
  word.stored.erase(word.stored.begin(), word.stored.begin() + unseen);
  word.floor[0] -= unseen;
  word.floor[1] -= unseen;
  word.seq_cst -= std::min(word.seq_cst, unseen);
}

size_t ModelMemory::LowestVisible(const Word& word, HalfName half,
                                  std::memory_order order) {
  const uint8_t floor = word.floor[Index(half)];
  if (order != std::memory_order_seq_cst) return floor;
  return std::max(floor, word.seq_cst);
}

}  // namespace virtqueue
