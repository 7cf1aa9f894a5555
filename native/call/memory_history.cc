// Records the history of allocations for JavaScript, and finds the line of the user's code that each belongs
// to. Reading a stack takes longer than a small operator. So it happens once for each call, and unless every
// line is wanted it has a budget: the emptier that is, the larger an allocation must be to have its line
// read. The others keep their cell. CUDA's allocator reports to a `MemoryReportingInfoBase` of the thread,
// which libtorch passes on to the threads of a backward. Metal's reports nothing: there the results of
// operators are looked at.
#include <ATen/Context.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "addon/guard.h"
#include "call/exports.h"
#include "memory/allocation_history.h"
#include "memory/result_storages.h"

namespace mpslab {
namespace {

using Clock = std::chrono::steady_clock;

/// The share of the time that reading stacks may take, and the most that the budget may save up.
constexpr double kStackShare = 0.03;
constexpr double kBudgetMs = 50;
/// What a read costs, of the time in which it runs: the step after it takes about as much longer, perhaps
/// because it finds its caches emptied. Seven runs on a busy machine gave 0 to 1.4 times the read, 0.78 on
/// average.
constexpr double kCostOfRead = 2;
/// While more than this part of the budget is left, every line is read. With less, only the lines of large
/// allocations are read: the least size grows exponentially, up to 2^kLargeBits bytes when nothing is left.
constexpr double kPlenty = 0.5;
constexpr double kLargeBits = 26;
constexpr uint32_t kAskers = 16;
/// This bit marks a place that is only a cell; the other bits are an index into `Environment::origins`.
constexpr uint32_t kOriginOnly = 0x80000000;

class StackBudget {
 public:
  /// Whether the line of an allocation of this size may be read. Reading the clock costs more than the rest,
  /// so a refusal also holds for the next few smaller allocations.
  bool allows(size_t bytes) {
    if (static_cast<double>(bytes) < leastBytes_ && ++asked_ < kAskers) return false;
    asked_ = 0;
    const auto now = Clock::now();
    leftMs_ = std::min(kBudgetMs, leftMs_ + kStackShare * ms(now - checked_));
    checked_ = now;
    const double missing = std::clamp(kPlenty - leftMs_ / kBudgetMs, 0.0, kPlenty) / kPlenty;
    leastBytes_ = missing == 0 ? 0 : std::exp2(kLargeBits * missing);
    return leftMs_ > 0 && static_cast<double>(bytes) >= leastBytes_;
  }
  void spent(Clock::time_point since) { leftMs_ -= kCostOfRead * ms(Clock::now() - since); }

 private:
  static double ms(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
  }
  double leftMs_ = kBudgetMs;
  double leastBytes_ = 0;
  uint32_t asked_ = 0;
  Clock::time_point checked_ = Clock::now();
};

/// The state of a recording, on the thread of the environment that started it.
struct CallPlaces {
  Environment* environment;
  napi_ref reader;
  bool everyLine;
  StackBudget budget;
  /// The call whose line was read last, and that line.
  uint64_t call = UINT64_MAX;
  uint32_t place = 0;
  /// Set for a device whose allocator reports nothing.
  std::unique_ptr<ResultStorages> results;
};

thread_local std::unique_ptr<CallPlaces> places;
/// The line that runs a backward, for the threads of libtorch's engine.
std::atomic<uint32_t> backwardPlace{0};

uint32_t readPlace(const CallPlaces& own) {
  const napi_env env = own.environment->env;
  Napi::HandleScope scope(env);
  napi_value function = nullptr;
  napi_get_reference_value(env, own.reader, &function);
  try {
    return Napi::Function(env, function).Call({}).ToNumber();
  } catch (const Napi::Error&) {
    return 0;  // The call fails on a stack overflow, for example.
  }
}

uint32_t placeOfAllocation(size_t bytes) {
  if (!places) return torch::autograd::get_current_node() ? backwardPlace.load(std::memory_order_relaxed) : 0;
  CallPlaces& own = *places;
  const bool inCall = running.name != nullptr;
  if (inCall && own.call == running.number) return own.place;
  if (!own.everyLine && !own.budget.allows(bytes)) return kOriginOnly | own.environment->origin;
  const auto began = Clock::now();
  const uint32_t place = readPlace(own);
  own.budget.spent(began);
  own.call = inCall ? running.number : UINT64_MAX;
  own.place = place;
  return place;
}

/// Needed only if a device is in use: the CPU's nodes run on the thread that began the backward, and read
/// their line there.
void placeOfBackward() {
  if (places && places->environment->usesDevice()) backwardPlace.store(readPlace(*places));
}

std::string nameOfNode() {
  const auto node = torch::autograd::get_current_node();
  return node ? node->name() : std::string();
}

constexpr PlaceReaders kReaders{placeOfAllocation, placeOfBackward, nameOfNode};

struct DeviceReports : c10::MemoryReportingInfoBase {
  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void* data, int64_t bytes, size_t, size_t, c10::Device device) override {
    // The allocators of the host and of simulated Metal record by themselves.
    if (!device.is_cuda()) return;
    if (bytes >= 0) {
      noteAllocation(data, static_cast<size_t>(bytes), device);
    } else {
      noteRelease(data, static_cast<size_t>(-bytes), device);
    }
  }
};

void stopRecording(void* = nullptr) {
  if (!places) return;
  stopAllocationHistory();
  if (at::hasCUDA()) c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
  napi_delete_reference(places->environment->env, places->reader);
  napi_remove_env_cleanup_hook(places->environment->env, stopRecording, nullptr);
  places.reset();
}

/// `startMemoryHistory({ maxEvents, everyLine, resultsOf? }, readPlace)`
Napi::Value startMemoryHistory(Environment& environment, const Napi::CallbackInfo& info) {
  if (recordsAllocations.load())
    throw Napi::Error::New(info.Env(), "A memory history is being recorded already: stop it first.");
  const auto options = info[0].As<Napi::Object>();
  auto started = std::make_unique<CallPlaces>();
  started->environment = &environment;
  started->everyLine = options.Get("everyLine").ToBoolean();
  napi_create_reference(environment.env, info[1], 1, &started->reader);
  const Napi::Value resultsOf = options.Get("resultsOf");
  if (resultsOf.IsString())
    started->results =
        std::make_unique<ResultStorages>(c10::Device(resultsOf.As<Napi::String>().Utf8Value()).type());
  places = std::move(started);
  backwardPlace.store(0);
  if (at::hasCUDA())
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<DeviceReports>());
  napi_add_env_cleanup_hook(environment.env, stopRecording, nullptr);
  startAllocationHistory(static_cast<size_t>(options.Get("maxEvents").ToNumber().Int64Value()), kReaders);
  return info.Env().Undefined();
}

Napi::Value stopMemoryHistory(Environment&, const Napi::CallbackInfo& info) {
  stopRecording();
  return info.Env().Undefined();
}

template <typename Events>
Napi::ArrayBuffer bytesOf(Napi::Env env, const Events& events) {
  Napi::ArrayBuffer buffer = Napi::ArrayBuffer::New(env, events.size() * sizeof(AllocationEvent));
  std::copy(events.begin(), events.end(), static_cast<AllocationEvent*>(buffer.Data()));
  return buffer;
}

Napi::Array textsOf(Napi::Env env, const std::vector<std::string>& texts) {
  Napi::Array array = Napi::Array::New(env, texts.size());
  for (size_t i = 0; i < texts.size(); ++i) array.Set(static_cast<uint32_t>(i), texts[i]);
  return array;
}

Napi::Value memoryHistory(Environment& environment, const Napi::CallbackInfo& info) {
  const AllocationHistory history = allocationHistory();
  Napi::Object object = Napi::Object::New(info.Env());
  object.Set("events", bytesOf(info.Env(), history.events));
  object.Set("olderBlocks", bytesOf(info.Env(), history.olderBlocks));
  object.Set("droppedEvents", static_cast<double>(history.droppedEvents));
  object.Set("operations", textsOf(info.Env(), history.operations));
  object.Set("origins", textsOf(info.Env(), environment.origins));
  return object;
}

Napi::Value memoryHistoryEvents(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(allocationEvents()));
}

}  // namespace

void defineMemoryHistory(Environment& environment, Napi::Object exports) {
  define<startMemoryHistory>(environment, exports, "startMemoryHistory");
  define<stopMemoryHistory>(environment, exports, "stopMemoryHistory");
  define<memoryHistory>(environment, exports, "memoryHistory");
  define<memoryHistoryEvents>(environment, exports, "memoryHistoryEvents");
}

}  // namespace mpslab
