// Declares the function that adds the exports of shadow/ to the addon. Only module.cc calls it, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineShadow(Environment& environment, Napi::Object exports);

}  // namespace mpslab
