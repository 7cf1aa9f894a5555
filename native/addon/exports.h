// Declares the functions that add the exports of addon/ to the addon. Only module.cc calls them, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineCallbackFunctions(Environment& environment, Napi::Object exports);
void defineNearLimit(Environment& environment, Napi::Object exports);
void defineCallSite(Environment& environment, Napi::Object exports);
void defineDeviceSession(Environment& environment, Napi::Object exports);
void defineWaiting(Environment& environment, Napi::Object exports);

}  // namespace mpslab
