// The functions for JavaScript: begin and end a recording, and replay what it gave.
#include "addon/guard.h"
#include "capture/exports.h"
#include "capture/recorder.h"
#include "capture/replay.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

using capture::Recorder;
using capture::Replay;

/// A thread records one step at a time.
thread_local std::unique_ptr<Recorder> recording;

std::vector<at::Tensor> tensorsArgument(Environment& environment, Napi::Value value) {
  const auto array = value.As<Napi::Array>();
  std::vector<at::Tensor> tensors;
  tensors.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) tensors.push_back(tensorOf(environment, array.Get(i)));
  return tensors;
}

void finalizeStep(node_api_basic_env, void* data, void*) { delete static_cast<Replay*>(data); }

Replay& stepArgument(Napi::Value value) { return *value.As<Napi::External<Replay>>().Data(); }

/// `beginCapture(inputs, expected)`: `expected` is a step to compare with, or null.
Napi::Value beginCapture(Environment& environment, const Napi::CallbackInfo& info) {
  if (recording) throwTypeError(environment, "torch.capture: a step is being captured already.");
  const capture::Program* expected = info[1].IsExternal() ? &stepArgument(info[1]).program() : nullptr;
  recording = std::make_unique<Recorder>(environment, tensorsArgument(environment, info[0]), expected);
  return info.Env().Undefined();
}

Napi::Value abandonCapture(Environment&, const Napi::CallbackInfo& info) {
  recording.reset();
  return info.Env().Undefined();
}

/// `endCapture(results)` gives `{ step, device, difference }`.
Napi::Value endCapture(Environment& environment, const Napi::CallbackInfo& info) {
  const std::unique_ptr<Recorder> ended = std::move(recording);
  auto step = std::make_unique<Replay>(environment, ended->finish(tensorsArgument(environment, info[0])));
  environment.checkCapture();
  const Napi::Env env = info.Env();
  Napi::Object object = Napi::Object::New(env);
  object.Set("device", step->program().device.str());
  object.Set("instructions", static_cast<double>(step->program().instructions.size()));
  Napi::Value difference = env.Null();
  if (ended->difference()) {
    Napi::Object told = Napi::Object::New(env);
    told.Set("text", ended->difference()->text);
    told.Set("place", ended->difference()->place);
    difference = told;
  }
  object.Set("difference", difference);
  napi_value external;
  napi_create_external(env, step.get(), finalizeStep, nullptr, &external);
  step.release();
  object.Set("step", Napi::Value(env, external));
  return object;
}

/// How many instructions the recording has: the next operator's is the one after them.
Napi::Value capturedInstructions(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(recording->program().instructions.size()));
}

/// `fitsCapture(step, inputs)`: whether the step was captured of such inputs.
Napi::Value fitsCapture(Environment& environment, const Napi::CallbackInfo& info) {
  const bool fits = stepArgument(info[0]).fits(environment, tensorsArgument(environment, info[1]));
  return Napi::Boolean::New(info.Env(), fits);
}

/// `replay(step, inputs)` gives the results. The inputs must fit.
Napi::Value replay(Environment& environment, const Napi::CallbackInfo& info) {
  environment.checkStop();
  Replay& step = stepArgument(info[0]);
  const std::vector<at::Tensor> inputs = tensorsArgument(environment, info[1]);
  const std::vector<at::Tensor> results = step.run(environment, inputs);
  Napi::Array array = Napi::Array::New(info.Env(), results.size());
  for (uint32_t i = 0; i < results.size(); ++i)
    array.Set(i, Napi::Value(info.Env(), wrap(environment, results[i])));
  environment.collectInTime();
  return array;
}

/// `setCapturedNumber(step, instruction, argument, value)`
Napi::Value setCapturedNumber(Environment&, const Napi::CallbackInfo& info) {
  stepArgument(info[0]).setNumber(info[1].ToNumber().Uint32Value(), info[2].ToString(), info[3].ToNumber());
  return info.Env().Undefined();
}

}  // namespace

void defineCapture(Environment& environment, Napi::Object exports) {
  define<beginCapture>(environment, exports, "beginCapture");
  define<endCapture>(environment, exports, "endCapture");
  define<abandonCapture>(environment, exports, "abandonCapture");
  define<capturedInstructions>(environment, exports, "capturedInstructions");
  define<fitsCapture>(environment, exports, "fitsCapture");
  define<replay>(environment, exports, "replay");
  define<setCapturedNumber>(environment, exports, "setCapturedNumber");
}

}  // namespace mpslab
