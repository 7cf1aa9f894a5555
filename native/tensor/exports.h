// Declares the functions that add the exports of tensor/ to the addon. Only module.cc calls them, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineTensor(Environment& environment, Napi::Object exports);
void defineScopes(Environment& environment, Napi::Object exports);
void defineProperties(Environment& environment, Napi::Object exports);
void defineData(Environment& environment, Napi::Object exports);

}  // namespace mpslab
