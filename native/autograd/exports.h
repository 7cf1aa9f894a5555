// Declares the functions that add the exports of autograd/ to the addon. Only module.cc calls them, once for
// each JavaScript environment.
#pragma once
#include <napi.h>

namespace mpslab {

struct Environment;

void defineAutograd(Environment& environment, Napi::Object exports);
void defineHooks(Environment& environment, Napi::Object exports);
void defineGraphTask(Environment& environment, Napi::Object exports);
void defineAnomaly(Environment& environment, Napi::Object exports);
void defineAutocast(Environment& environment, Napi::Object exports);
void defineCustomFunctions(Environment& environment, Napi::Object exports);
void defineGraphNodes(Environment& environment, Napi::Object exports);
void defineSavedTensors(Environment& environment, Napi::Object exports);
void defineBackwardCopies(Environment& environment, Napi::Object exports);
void defineTransforms(Environment& environment, Napi::Object exports);
void defineRetained(Environment& environment, Napi::Object exports);

}  // namespace mpslab
