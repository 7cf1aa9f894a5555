// Calls whose arguments arrive as numbers in memory that JavaScript shares. Knows no operator.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// Numbers in the array that JavaScript and the addon share.
constexpr size_t kExchangePlaces = 64;

void defineFastCall(Environment& environment, Napi::Object exports);

}  // namespace mpslab
