// Calls whose arguments arrive as numbers in memory that JavaScript shares. Knows no operator.
#pragma once
#include <napi.h>

#include "environment.h"

namespace mpslab {

void defineFastCall(Environment& environment, Napi::Object exports);

}  // namespace mpslab
