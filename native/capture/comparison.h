// Compares what a step does now with the program that was captured of it, and words the first difference.
#pragma once
#include <string>

#include "capture/program.h"

namespace mpslab::capture {

/// Each gives the end of a sentence that begins with "the step", empty where both agree.
std::string sourceDifference(const Program& captured, const Program& now, Slot slot);
std::string instructionDifference(const Program& captured, const Program& now, size_t index);

/// `mul`, or `a view`.
std::string describe(const Instruction& instruction);

}  // namespace mpslab::capture
