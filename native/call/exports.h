// Declares the functions that add the exports of call/ to the addon. Only module.cc calls them, once for each
// JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineDispatch(Environment& environment, Napi::Object exports);
void defineFastCall(Environment& environment, Napi::Object exports);
void defineMemoryHistory(Environment& environment, Napi::Object exports);
void defineProfiler(Environment& environment, Napi::Object exports);

}  // namespace mpslab
