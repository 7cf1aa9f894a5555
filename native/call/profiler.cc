// Records the spans of the profiler through an observer of libtorch's own `RecordFunction`. Every operator,
// every node of a backward and every named block passes it. There is no observer unless something is
// recorded, so an operator then pays only for libtorch's check whether there is one. TypeScript turns the
// spans into reports (`lib/torch/profiler/`).
#include <ATen/DeviceAccelerator.h>
#include <ATen/record_function.h>

#include <chrono>
#include <vector>

#include "addon/call_site.h"
#include "addon/guard.h"
#include "call/exports.h"
#include "device/devices.h"
#include "device/event.h"
#include "memory/allocator.h"
#include "memory/device_statistics.h"
#include "tensor/value.h"

namespace mpslab {
namespace {

using Clock = std::chrono::steady_clock;

/// One operator, node or named block. Those that it called name it as their parent.
struct Span {
  std::string name;
  at::RecordScope scope;
  int64_t parent;
  int64_t sequence;
  Clock::time_point begin;
  Clock::time_point end;
  /// Bytes that it left allocated on the host and on the device. Memory that it also released is not counted.
  int64_t hostBytes = 0;
  int64_t deviceBytes = 0;
  std::string shapes;
  std::string stack;
  std::unique_ptr<DeviceEvent> deviceBegin;
  std::unique_ptr<DeviceEvent> deviceEnd;
};

struct Recording {
  /// Distinguishes the recordings of one thread.
  uint64_t number = 0;
  bool shapes = false;
  bool memory = false;
  bool stacks = false;
  std::optional<at::Device> device;
  at::CallbackHandle callback = 0;
  std::vector<Span> spans;
  /// Spans that have not ended, the innermost last.
  std::vector<size_t> open;
  Clock::time_point began;
  std::unique_ptr<DeviceEvent> deviceBegan;
  /// Set while JavaScript reads its stack, so that this is not recorded.
  bool paused = false;
};

thread_local std::unique_ptr<Recording> recording;
thread_local uint64_t recordings = 0;

/// The span that an end belongs to, and its recording, because one recording may stop and another start in
/// between.
struct Opened : at::ObserverContext {
  Opened(uint64_t recording, size_t index) : recording(recording), index(index) {}
  uint64_t recording;
  size_t index;
};

/// `[2, 3]` for a tensor, `[[2, 3], [4]]` for a list of them, `[]` for anything else, as PyTorch shows them.
std::string shapeText(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? describeShape(value.toTensor().sizes()) : "[]";
  if (!value.isTensorList()) return "[]";
  std::string text = "[";
  for (const at::Tensor& tensor : value.toTensorVector())
    text += (text.size() > 1 ? ", " : "") + describeShape(tensor.sizes());
  return text + "]";
}

std::string shapesText(c10::ArrayRef<const c10::IValue> inputs) {
  std::string text = "[";
  for (size_t i = 0; i < inputs.size(); ++i) text += (i == 0 ? "" : ", ") + shapeText(inputs[i]);
  return text + "]";
}

int64_t deviceBytes(const Recording& recorded) {
  return recorded.memory && recorded.device ? deviceAllocatedBytes(*recorded.device) : 0;
}

std::unique_ptr<DeviceEvent> mark(const Recording& recorded) {
  if (!recorded.device) return nullptr;
  auto event = makeEvent(*recorded.device, true);
  event->record();
  return event;
}

std::unique_ptr<at::ObserverContext> beginSpan(const at::RecordFunction& function) {
  Recording* recorded = recording.get();
  if (recorded == nullptr || recorded->paused) return nullptr;
  Span span;
  span.name = function.name();
  span.scope = function.scope();
  span.parent = recorded->open.empty() ? -1 : static_cast<int64_t>(recorded->open.back());
  span.sequence = function.seqNr();
  if (recorded->shapes) span.shapes = shapesText(function.inputs());
  if (recorded->stacks && recorded->open.empty()) {
    recorded->paused = true;
    span.stack = callSite();
    recorded->paused = false;
  }
  if (recorded->memory) {
    span.hostBytes = -hostAllocator().allocatedBytes();
    span.deviceBytes = -deviceBytes(*recorded);
  }
  span.deviceBegin = mark(*recorded);
  const size_t index = recorded->spans.size();
  recorded->open.push_back(index);
  // The clock is read last, so that the profiler's own work above is not counted.
  span.begin = Clock::now();
  recorded->spans.push_back(std::move(span));
  return std::make_unique<Opened>(recorded->number, index);
}

void endSpan(const at::RecordFunction&, at::ObserverContext* context) {
  const auto now = Clock::now();
  Recording* recorded = recording.get();
  const auto* opened = static_cast<Opened*>(context);
  if (recorded == nullptr || opened == nullptr || opened->recording != recorded->number) return;
  Span& span = recorded->spans[opened->index];
  span.end = now;
  span.deviceEnd = mark(*recorded);
  if (recorded->memory) {
    span.hostBytes += hostAllocator().allocatedBytes();
    span.deviceBytes += deviceBytes(*recorded);
  }
  std::erase_if(recorded->open, [&](size_t index) { return index >= opened->index; });
}

double ms(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

Napi::Object toJavaScript(Napi::Env env, const Recording& recorded, const Span& span) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("name", span.name);
  object.Set("scope", span.scope == at::RecordScope::USER_SCOPE          ? "user"
                      : span.scope == at::RecordScope::BACKWARD_FUNCTION ? "backward"
                                                                         : "operator");
  object.Set("parent", static_cast<double>(span.parent));
  object.Set("sequence", static_cast<double>(span.sequence));
  object.Set("beginMs", ms(span.begin - recorded.began));
  object.Set("endMs", ms(span.end - recorded.began));
  object.Set("hostBytes", static_cast<double>(span.hostBytes));
  object.Set("deviceBytes", static_cast<double>(span.deviceBytes));
  object.Set("shapes", span.shapes);
  object.Set("stack", span.stack);
  if (span.deviceBegin && span.deviceEnd) {
    object.Set("deviceBeginMs", recorded.deviceBegan->elapsedMs(*span.deviceBegin));
    object.Set("deviceEndMs", recorded.deviceBegan->elapsedMs(*span.deviceEnd));
  }
  return object;
}

/// `startProfiler({ shapes, memory, stacks, device })`; the device, if any, is one that queues its work.
Napi::Value startProfiler(Environment& environment, const Napi::CallbackInfo& info) {
  if (recording) throw Napi::Error::New(info.Env(), "A profiler is running already: stop it first.");
  const auto options = info[0].As<Napi::Object>();
  auto started = std::make_unique<Recording>();
  started->number = ++recordings;
  started->shapes = options.Get("shapes").ToBoolean();
  started->memory = options.Get("memory").ToBoolean();
  started->stacks = options.Get("stacks").ToBoolean();
  const Napi::Value device = options.Get("device");
  if (device.IsString()) {
    started->device = deviceArgument(environment, device, "profiler");
    started->deviceBegan = mark(*started);
    started->deviceBegan->synchronize();
  }
  started->callback =
      at::addThreadLocalCallback(at::RecordFunctionCallback(beginSpan, endSpan)
                                     .needsInputs(started->shapes)
                                     .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                                              at::RecordScope::USER_SCOPE}));
  started->began = Clock::now();
  recording = std::move(started);
  return info.Env().Undefined();
}

/// Returns the spans.
Napi::Value stopProfiler(Environment& environment, const Napi::CallbackInfo& info) {
  if (!recording) throw Napi::Error::New(info.Env(), "No profiler is running.");
  at::removeCallback(recording->callback);
  const std::unique_ptr<Recording> stopped = std::move(recording);
  const auto stoppedAt = Clock::now();
  if (stopped->device) at::accelerator::synchronizeDevice(deviceIndexOf(*stopped->device));
  // Ends the blocks that are still open, so that the operators that they called keep their parent.
  for (const size_t index : stopped->open) stopped->spans[index].end = stoppedAt;
  Napi::Array spans = Napi::Array::New(info.Env(), stopped->spans.size());
  for (uint32_t i = 0; i < stopped->spans.size(); ++i) {
    Napi::HandleScope scope(info.Env());
    spans.Set(i, toJavaScript(info.Env(), *stopped, stopped->spans[i]));
  }
  return spans;
}

/// `recordFunction(name, run)`: calls `run` within a span of that name.
Napi::Value recordFunction(Environment&, const Napi::CallbackInfo& info) {
  const std::string name = info[0].ToString();
  at::RecordFunction span(at::RecordScope::USER_SCOPE);
  if (span.isActive()) span.before(std::string_view(name));
  return info[1].As<Napi::Function>().Call({});
}

}  // namespace

void defineProfiler(Environment& environment, Napi::Object exports) {
  define<startProfiler>(environment, exports, "startProfiler");
  define<stopProfiler>(environment, exports, "stopProfiler");
  define<recordFunction>(environment, exports, "recordFunction");
}

}  // namespace mpslab
