#include "sim/actor.h"

#include <utility>

namespace sim {

Actor::Actor(EventLoop& loop, std::string name)
    : loop_(loop), slot_(loop.Join(*this, std::move(name))) {}

Actor::~Actor() { loop_.Leave(slot_); }

}  // namespace sim
