#include "tests/explorer/behaviour.h"

#include <algorithm>
#include <utility>

#include "tests/explorer/replay.h"
#include "virtqueue/check.h"

namespace virtqueue {

Behaviour::Behaviour(const PlaceMap& places, NewProgram new_program,
                     Nodes nodes)
    : places_(places),
      new_program_(std::move(new_program)),
      merges_(nodes == Nodes::kMerged) {
  nodes_.push_back(NodeAfter({}));
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
  Node node = NodeAfter(answers);
  if (const auto same = Find(node)) return *same;
  node.parent = parent;
  node.answer = answer;
  const auto number = static_cast<uint32_t>(nodes_.size());
  if (node.state) {
    rounds_[{node.state->begun, node.state->ended}].push_back(number);
  }
  nodes_.push_back(std::move(node));
  return number;
}

std::optional<uint32_t> Behaviour::Find(const Node& node) const {
  if (!merges_ || !node.state) return std::nullopt;
  const auto found = rounds_.find({node.state->begun, node.state->ended});
  if (found == rounds_.end()) return std::nullopt;
  for (const uint32_t other : found->second) {
    if (nodes_[other].turn == node.turn && nodes_[other].state == node.state) {
      return other;
    }
  }
  return std::nullopt;
}

std::vector<uint64_t> Behaviour::AnswersUpTo(uint32_t node) const {
  std::vector<uint64_t> answers;
  for (; node != kRoot; node = nodes_[node].parent) {
    answers.push_back(nodes_[node].answer);
  }
  std::reverse(answers.begin(), answers.end());
  return answers;
}

Behaviour::Node Behaviour::NodeAfter(
    const std::vector<uint64_t>& answers) const {
  const std::unique_ptr<HalfProgram> program = new_program_();
  Replay replay(places_, answers);
  program->Run(replay);
  VSOCK_CHECK(replay.stopped());
  return {.turn = replay.last(), .state = replay.state()};
}

}  // namespace virtqueue
