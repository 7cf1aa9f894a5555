// Declares the functions that add the exports of device/ to the addon. Only module.cc calls them, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineDevices(Environment& environment, Napi::Object exports);
void defineEvents(Environment& environment, Napi::Object exports);
void defineEventPromises(Environment& environment, Napi::Object exports);
void defineMps(Environment& environment, Napi::Object exports);
void defineShaders(Environment& environment, Napi::Object exports);

}  // namespace mpslab
