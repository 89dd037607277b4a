#include "virtqueue/chain_state.h"

#include <ios>

namespace virtqueue {
namespace {

void Print(std::ostream& out, const std::vector<ChainState::Piece>& pieces) {
  for (const ChainState::Piece& piece : pieces) {
    out << ' ' << std::hex << piece.at << std::dec << '+' << piece.len;
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const ChainState& state) {
  out << "{id " << state.id << " slots " << state.slots << " descriptors "
      << state.descriptors << " turn " << state.turn << " readable";
  Print(out, state.readable);
  out << " writable";
  Print(out, state.writable);
  return out << '}';
}

}  // namespace virtqueue
