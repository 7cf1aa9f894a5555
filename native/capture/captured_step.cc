// The functions for JavaScript: begin and end a recording, and replay what it gave.
#include <ATen/record_function.h>

#include "addon/guard.h"
#include "capture/accumulator_streams.h"
#include "capture/exports.h"
#include "capture/graph_replay.h"
#include "capture/list_replay.h"
#include "capture/recorder.h"
#include "capture/side_stream.h"
#include "memory/allocation_history.h"
#include "tensor/tensor.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

using capture::Step;

/// A step that is being recorded; a thread records one at a time. Members end in reverse order: the recorder
/// before the graph, and the stream last.
struct Recording {
  std::optional<capture::SideStream> stream;
  std::optional<capture::AccumulatorStreams> accumulators;
  std::unique_ptr<capture::DeviceGraph> graph;
  bool graphBegan = false;
  std::vector<at::Tensor> inputs;
  std::optional<capture::Recorder> recorder;

  ~Recording() {
    recorder.reset();
    if (!graphBegan) return;
    // The step has thrown, and its error is the one to report.
    try {
      graph->end();
    } catch (...) {
    }
  }
};

thread_local std::unique_ptr<Recording> recording;

std::vector<at::Tensor> tensorsArgument(Environment& environment, Napi::Value value) {
  const auto array = value.As<Napi::Array>();
  std::vector<at::Tensor> tensors;
  tensors.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) tensors.push_back(tensorOf(environment, array.Get(i)));
  return tensors;
}

void finalizeStep(node_api_basic_env, void* data, void*) { delete static_cast<Step*>(data); }

Step& stepArgument(Napi::Value value) { return *value.As<Napi::External<Step>>().Data(); }

/// `lab.shadow` cannot see the operators of a replay: a list runs below its observer, and a graph returns no
/// operator's result.
void refuseInShadow(Environment& environment) {
  if (!environment.shadow) return;
  throwTypeError(environment,
                 "lab.shadow: a captured step is replayed as a whole, so its operators' results cannot be "
                 "compared: give the step itself, without torch.capture().");
}

/// `beginCapture(inputs, expected, { stream, graph, isFirst })`. `expected` is a step to compare with, or
/// null; `stream` names the device on whose side stream the step runs; with `graph` its work is captured
/// there, and not done.
Napi::Value beginCapture(Environment& environment, const Napi::CallbackInfo& info) {
  if (recording) throwTypeError(environment, "torch.capture: a step is being captured already.");
  refuseInShadow(environment);
  const auto options = info[2].As<Napi::Object>();
  const capture::Program* expected = info[1].IsExternal() ? &stepArgument(info[1]).program() : nullptr;
  auto begun = std::make_unique<Recording>();
  begun->inputs = tensorsArgument(environment, info[0]);
  if (options.Get("stream").IsString()) {
    if (options.Get("graph").ToBoolean()) {
      begun->graph = capture::makeDeviceGraph();
      if (!begun->graph) {
        throwTypeError(environment,
                       "torch.capture: this addon was compiled without CUDA's headers, so it has no graphs: "
                       "npx mpslab setup --compile compiles it beside a CUDA toolkit.");
      }
    }
    // Frees graphs that autograd keeps from earlier calls, because they belong to another stream.
    environment.collectGarbage();
    begun->stream.emplace(*deviceOf(options.Get("stream").ToString().Utf8Value()));
    begun->accumulators.emplace(environment);
  }
  if (begun->graph) {
    // Must begin before the recorder does: the generator's operators that it calls are not part of the step.
    begun->graph->begin();
    begun->graphBegan = true;
  }
  begun->recorder.emplace(environment, begun->inputs, expected, options.Get("isFirst").ToBoolean());
  recording = std::move(begun);
  return info.Env().Undefined();
}

Napi::Value abandonCapture(Environment&, const Napi::CallbackInfo& info) {
  recording.reset();
  return info.Env().Undefined();
}

Napi::Value toJavaScript(Napi::Env env, const std::optional<capture::Difference>& difference) {
  if (!difference) return env.Null();
  Napi::Object told = Napi::Object::New(env);
  told.Set("text", difference->text);
  told.Set("place", difference->place);
  return told;
}

/// `endCapture(results)` gives `{ step, device, difference }`.
Napi::Value endCapture(Environment& environment, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::vector<at::Tensor> results = tensorsArgument(environment, info[0]);
  environment.checkCapture();
  capture::Program program = recording->recorder->finish(results);
  environment.checkCapture();
  const Napi::Value difference = toJavaScript(env, recording->recorder->difference());
  recording->recorder.reset();
  std::unique_ptr<Step> step;
  if (recording->graph) {
    recording->graphBegan = false;
    recording->graph->end();
    step =
        std::make_unique<capture::GraphReplay>(environment, std::move(program), std::move(recording->graph),
                                               std::move(recording->inputs), std::move(results));
  } else {
    step = std::make_unique<capture::ListReplay>(environment, std::move(program));
  }
  recording.reset();
  Napi::Object object = Napi::Object::New(env);
  object.Set("device", step->program().device.str());
  object.Set("difference", difference);
  napi_value external;
  napi_create_external(env, step.get(), finalizeStep, nullptr, &external);
  step.release();
  object.Set("step", Napi::Value(env, external));
  return object;
}

Napi::Value pauseCapture(Environment&, const Napi::CallbackInfo& info) {
  if (recording) recording->recorder->pause(info[0].ToBoolean());
  return info.Env().Undefined();
}

/// Returns how many instructions were recorded so far, which is the index of the next one.
Napi::Value capturedInstructions(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
                           static_cast<double>(recording->recorder->program().instructions.size()));
}

/// `fitsCapture(step, inputs)` returns whether the captured step can run with these inputs.
Napi::Value fitsCapture(Environment& environment, const Napi::CallbackInfo& info) {
  const bool fits = stepArgument(info[0]).fits(environment, tensorsArgument(environment, info[1]));
  return Napi::Boolean::New(info.Env(), fits);
}

const std::string kName = "captured step";

/// The name's number in the flight recorder. It can be thread-local, because a thread has one environment.
uint32_t recordedName(Environment& environment) {
  thread_local uint32_t number = 0;
  if (number == 0) number = environment.recorder.addName(kName);
  return number;
}

/// `replay(step, inputs)` returns the results. `fitsCapture` must have returned true.
Napi::Value replay(Environment& environment, const Napi::CallbackInfo& info) {
  environment.checkStop();
  refuseInShadow(environment);
  Step& step = stepArgument(info[0]);
  const std::vector<at::Tensor> inputs = tensorsArgument(environment, info[1]);
  const FlightRecorder::Entry entry(environment.recorder, recordedName(environment),
                                    environment.allocatedBytes());
  const RunningCall running(kName);
  // A span for the profiler. Operators that a list calls appear below it; a graph's kernels are not
  // operators.
  at::RecordFunction span(at::RecordScope::USER_SCOPE);
  if (span.isActive()) span.before(std::string_view(kName));
  const std::vector<at::Tensor> results = step.run(environment, inputs);
  span.end();
  const Napi::Array array = wrapAll(environment, results);
  environment.collectInTime();
  return array;
}

/// Returns how many operators a step has. Views do not count.
Napi::Value capturedOperators(Environment&, const Napi::CallbackInfo& info) {
  const auto& instructions = stepArgument(info[0]).program().instructions;
  const auto operators = std::count_if(instructions.begin(), instructions.end(),
                                       [](const auto& instruction) { return instruction.op.has_value(); });
  return Napi::Number::New(info.Env(), static_cast<double>(operators));
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
  define<pauseCapture>(environment, exports, "pauseCapture");
  define<capturedInstructions>(environment, exports, "capturedInstructions");
  define<fitsCapture>(environment, exports, "fitsCapture");
  define<replay>(environment, exports, "replay");
  define<capturedOperators>(environment, exports, "capturedOperators");
  define<setCapturedNumber>(environment, exports, "setCapturedNumber");
}

}  // namespace mpslab
