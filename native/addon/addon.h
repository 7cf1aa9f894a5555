// What each file of the addon hangs on its exports. Knows no more of them than that.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

void defineTensor(Environment& environment, Napi::Object exports);
void defineScopes(Environment& environment, Napi::Object exports);
void defineProperties(Environment& environment, Napi::Object exports);
void defineDispatch(Environment& environment, Napi::Object exports);
void defineData(Environment& environment, Napi::Object exports);
void defineAutograd(Environment& environment, Napi::Object exports);
void defineHooks(Environment& environment, Napi::Object exports);
void defineGraphTask(Environment& environment, Napi::Object exports);
void defineAutocast(Environment& environment, Napi::Object exports);
void defineCustomFunctions(Environment& environment, Napi::Object exports);
void defineGraphNodes(Environment& environment, Napi::Object exports);
void defineSavedTensors(Environment& environment, Napi::Object exports);
void defineBackwardCopies(Environment& environment, Napi::Object exports);
void defineRetained(Environment& environment, Napi::Object exports);
void defineProfiler(Environment& environment, Napi::Object exports);
void defineRandom(Environment& environment, Napi::Object exports);
void defineGenerators(Environment& environment, Napi::Object exports);
void defineAccelerator(Environment& environment, Napi::Object exports);
void defineEvents(Environment& environment, Napi::Object exports);
void defineEventPromises(Environment& environment, Napi::Object exports);
void defineWaiting(Environment& environment, Napi::Object exports);
void defineMps(Environment& environment, Napi::Object exports);

/// Runs the collector of this thread's environment, if it has one: for an allocation that would fail
/// otherwise.
void collectGarbageOfThread();

/// Throws the interruption if the user has asked this thread's environment for it: for who waits on a thread
/// that may be JavaScript's.
void checkStopOfThread();

}  // namespace mpslab
