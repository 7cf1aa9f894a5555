// Declares the function that adds the exports of distributed/ to the addon. Only module.cc calls it, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineDistributed(Environment& environment, Napi::Object exports);

}  // namespace mpslab
