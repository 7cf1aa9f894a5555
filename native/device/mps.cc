// Functions of the mps namespace that other devices do not have: the GPU's name, the system's version,
// streams, signposts, captures. `lib/torch/mps/availability.ts` checks first that there is a device.
#include <ATen/detail/MPSHooksInterface.h>

#include "addon/guard.h"
#include "addon/waiting.h"
#include "device/exports.h"
#include "device/metal.h"

namespace mpslab {
namespace {

Napi::Value deviceName(Environment&, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), metalName());
}

Napi::Value coreCount(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(metalCoreCount()));
}

Napi::Value isMacosOrNewer(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(),
                            at::detail::getMPSHooks().isOnMacOSorNewer(info[0].ToNumber().Uint32Value(),
                                                                       info[1].ToNumber().Uint32Value()));
}

Napi::Value newStream(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(newMetalStream()));
}

Napi::Value currentStream(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(currentMetalStream()));
}

Napi::Value setStream(Environment&, const Napi::CallbackInfo& info) {
  setCurrentMetalStream(info[0].ToNumber().Int64Value());
  return info.Env().Undefined();
}

Napi::Value synchronizeStream(Environment& environment, const Napi::CallbackInfo& info) {
  const Waiting waiting(environment);
  synchronizeMetalStream(info[0].ToNumber().Int64Value());
  return info.Env().Undefined();
}

Napi::Value startSignposts(Environment&, const Napi::CallbackInfo& info) {
  at::detail::getMPSHooks().profilerStartTrace(info[0].ToString(), info[1].ToBoolean());
  return info.Env().Undefined();
}

Napi::Value stopSignposts(Environment&, const Napi::CallbackInfo& info) {
  at::detail::getMPSHooks().profilerStopTrace();
  return info.Env().Undefined();
}

Napi::Value captureEnabled(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), metalCaptureEnabled());
}

Napi::Value isCapturing(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), isCapturingMetal());
}

Napi::Value startCapture(Environment&, const Napi::CallbackInfo& info) {
  startMetalCapture(info[0].ToString());
  return info.Env().Undefined();
}

/// Counted as a wait, because PyTorch waits for the queued work before it ends the trace.
Napi::Value stopCapture(Environment& environment, const Napi::CallbackInfo& info) {
  const Waiting waiting(environment);
  stopMetalCapture();
  return info.Env().Undefined();
}

}  // namespace

void defineMps(Environment& environment, Napi::Object exports) {
  Napi::Object mps = Napi::Object::New(exports.Env());
  define<deviceName>(environment, mps, "deviceName");
  define<coreCount>(environment, mps, "coreCount");
  define<isMacosOrNewer>(environment, mps, "isMacosOrNewer");
  define<newStream>(environment, mps, "newStream");
  define<currentStream>(environment, mps, "currentStream");
  define<setStream>(environment, mps, "setStream");
  define<synchronizeStream>(environment, mps, "synchronizeStream");
  define<startSignposts>(environment, mps, "startSignposts");
  define<stopSignposts>(environment, mps, "stopSignposts");
  define<captureEnabled>(environment, mps, "captureEnabled");
  define<isCapturing>(environment, mps, "isCapturing");
  define<startCapture>(environment, mps, "startCapture");
  define<stopCapture>(environment, mps, "stopCapture");
  exports.Set("mps", mps);
}

}  // namespace mpslab
