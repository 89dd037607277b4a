// table_text.h: a validation table for people.

#ifndef SIM_VALIDATION_TABLE_TEXT_H_
#define SIM_VALIDATION_TABLE_TEXT_H_

#include <string>

#include "sim/validation/validation.pb.h"

namespace sim {

// Rows with one source stand together; the notes on misses come below.
std::string TableText(const ValidationTable& table);

// "31 of 40 claims inside, 7 miss, 2 wait".
std::string VerdictsText(const ValidationTable& table);

}  // namespace sim

#endif  // SIM_VALIDATION_TABLE_TEXT_H_
