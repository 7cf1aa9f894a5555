// Declares the functions that add the exports of random/ to the addon. Only module.cc calls them, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineRandom(Environment& environment, Napi::Object exports);
void defineGenerators(Environment& environment, Napi::Object exports);

}  // namespace mpslab
