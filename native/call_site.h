// Where the user's code is now, as text that JavaScript writes. Knows neither cells nor files.
#pragma once
#include <napi.h>

#include <string>

#include "environment.h"

namespace mpslab {

/// The lines of the stack that are the user's, the innermost first; empty on a thread of libtorch's own, and
/// where nobody said how to tell. It runs JavaScript, also in the midst of an operator.
std::string callSite();

void defineCallSite(Environment& environment, Napi::Object exports);

}  // namespace mpslab
