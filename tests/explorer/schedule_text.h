// schedule_text.h: a schedule as numbered lines for people.

#ifndef TESTS_EXPLORER_SCHEDULE_TEXT_H_
#define TESTS_EXPLORER_SCHEDULE_TEXT_H_

#include <string>
#include <vector>

#include "tests/explorer/ring_pair.h"

namespace virtqueue {

// Takes the steps again, one line for each act, and says how it ends.
std::string ScheduleText(RingPair& pair,
                         const std::vector<RingPair::Step>& schedule);

}  // namespace virtqueue

#endif  // TESTS_EXPLORER_SCHEDULE_TEXT_H_
