#include "tests/explorer/behaviour.h"

#include <algorithm>
#include <utility>

#include "tests/explorer/replay.h"
#include "virtqueue/check.h"

namespace virtqueue {

Behaviour::Behaviour(const PlaceMap& places, NewProgram new_program)
    : places_(places), new_program_(std::move(new_program)) {
  nodes_.push_back({.turn = TurnAfter({})});
}

uint32_t Behaviour::Next(uint32_t node, uint64_t answer) {
  const auto found = nodes_[node].next.find(answer);
  if (found != nodes_[node].next.end()) return found->second;
  const uint32_t grown = Grow(node, answer);
  nodes_[node].next.emplace(answer, grown);
  return grown;
}

uint32_t Behaviour::Grow(uint32_t parent, uint64_t answer) {
  std::vector<uint64_t> answers = AnswersUpTo(parent);
  answers.push_back(answer);
  nodes_.push_back(
      {.turn = TurnAfter(answers), .parent = parent, .answer = answer});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

std::vector<uint64_t> Behaviour::AnswersUpTo(uint32_t node) const {
  std::vector<uint64_t> answers;
  for (; node != kRoot; node = nodes_[node].parent) {
    answers.push_back(nodes_[node].answer);
  }
  std::reverse(answers.begin(), answers.end());
  return answers;
}

Turn Behaviour::TurnAfter(const std::vector<uint64_t>& answers) const {
  const std::unique_ptr<HalfProgram> program = new_program_();
  Replay replay(places_, answers);
  program->Run(replay);
  VSOCK_CHECK(replay.stopped());
  return replay.last();
}

}  // namespace virtqueue
