// Holds the state of one JavaScript environment (the main thread or one worker): classes, flags, the pool of
// tensor handles. Each function of the addon gets its environment as the callback's data pointer.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/InferenceMode.h>
#include <napi.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "addon/capture_notes.h"
#include "addon/handle.h"
#include "addon/shadow_notes.h"
#include "errors/flight_recorder.h"
#include "memory/collection_pace.h"

namespace mpslab {

// State that folders above keep here. Environment owns it, and does not use it.
class DeviceEvent;
class GraphNodes;
class JavaScriptValue;
class ThreadGenerator;
struct Operator;
struct Overload;

/// Size of the array through which JavaScript and the addon exchange numbers.
constexpr size_t kExchangePlaces = 64;

/// The errors that have a class of their own in JavaScript. The classes are TypeScript's
/// (`lib/torch/vocabulary/errors.ts`).
enum class ErrorClass { OutOfMemory, UnsupportedOperator, DeviceMismatch, UseAfterDispose, Count };

/// References that may be dropped on any thread, or inside a collection, where deleting them is not allowed.
/// They are kept here until the environment's own thread calls `release`.
class DeadReferences {
 public:
  void add(napi_ref reference) {
    std::lock_guard lock(mutex_);
    references_.push_back(reference);
    waiting_.store(true, std::memory_order_release);
  }
  void release(napi_env env) {
    if (waiting_.load(std::memory_order_acquire)) releaseAll(env);
  }

 private:
  void releaseAll(napi_env env);
  std::mutex mutex_;
  std::vector<napi_ref> references_;
  std::atomic<bool> waiting_{false};
};

struct Environment {
  explicit Environment(napi_env env);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Throws the interruption if the user asked for it. Operators check it; what frees or reports does not, so
  /// that `finally` blocks can clean up.
  void checkStop() {
    if (*stop != 0) [[unlikely]]
      throwInterruption();
  }

  /// While a step is recorded, throws if an operator that has returned made the step impossible to capture.
  void checkCapture() {
    if (capture && !capture->refusal.empty()) [[unlikely]]
      throwCaptureRefusal();
  }

  /// Throws what the observers of a step's operators found: why the step cannot be captured, or that a result
  /// is wrong.
  void checkObservers() {
    checkCapture();
    if (shadow) [[unlikely]]
      throwShadowFinding();
  }

  /// While a step is recorded, refuses something that a replay of the step would not do. `what` is a sentence
  /// without its period.
  void refuseInCapture(const char* what) {
    if (!capture) [[likely]]
      return;
    if (capture->refusal.empty()) capture->refusal = std::string(what) + ".";
    throwCaptureRefusal();
  }

  /// Called once, when the environment ends. Finalizers of handles may run later; the last one deletes the
  /// environment.
  void close();
  void handleReleased(Handle* handle);

  /// Runs JavaScript's collector, so that unreachable tensors give their memory back.
  void collectGarbage();

  /// The tensors with the largest storages, on one device or on all; each storage is listed once.
  std::vector<const Handle*> largestHolders(std::optional<at::DeviceType> device);

  /// Called when a tensor of a device reaches JavaScript: from then on the pace of collections also counts
  /// that device's memory. Throws if another environment holds the devices.
  void noteDevice(const at::Tensor& made) {
    const at::Device used = made.device();
    if (used.is_cpu() || used.is_meta()) return;
    if (device_ != used) [[unlikely]]
      useDevice(used);
    unreadBytes_ += static_cast<int64_t>(made.numel() * made.element_size());
  }

  /// Whether this environment has ever had a tensor of a device that queues its work.
  bool usesDevice() const { return !device_.is_cpu(); }

  /// Called after tensors were made: runs the collector when `CollectionPace` says that a collection is due.
  void collectInTime();

  /// Bytes of live tensors on the host and on the device in use. The device's bytes are those of its last
  /// read.
  int64_t allocatedBytes() const;

  napi_env env;
  HandlePool pool;
  FlightRecorder recorder;
  napi_ref wrapperClass = nullptr;
  /// JavaScript's function that reads the number of a wrapper.
  napi_ref wrapperNumber = nullptr;
  /// `resultsClassMaker` makes the class of an operator's several results; `resultsClasses` are the classes
  /// made so far.
  napi_ref resultsClassMaker = nullptr;
  std::unordered_map<const Overload*, napi_ref> resultsClasses;
  napi_ref errorClasses[static_cast<size_t>(ErrorClass::Count)] = {};

  /// The origin of newly made tensors: an index into `origins`; 0 is "nowhere".
  uint32_t origin = 0;
  std::vector<std::string> origins{""};
  std::unordered_map<std::string, uint32_t> originNumbers{{"", 0}};

  /// For each origin, the number of one handle that stays disposed forever, 0 if there is none yet. When the
  /// handle of a disposed tensor is reused for another tensor, the disposed tensor's wrapper takes this
  /// number instead.
  std::vector<uint32_t> disposedNumbers;

  /// Open tidy scopes, the innermost last. A deque: handles point at them.
  std::deque<Link> scopes;

  /// Element 0 of the stop flag that JavaScript shares; points at a constant zero until JavaScript has set
  /// one.
  const volatile int32_t* stop;
  napi_ref stopFlag = nullptr;
  napi_ref interrupted = nullptr;
  /// The full collection and that of the young generation.
  napi_ref collector = nullptr;
  napi_ref youngCollector = nullptr;
  /// Adds the failed node to an error of backward in anomaly mode.
  napi_ref anomalyFormatter = nullptr;
  /// JavaScript's function that writes the message of an out-of-memory error, naming what holds the memory.
  napi_ref outOfMemoryFormatter = nullptr;

  /// Set while inference mode is on; leaving it restores grad mode.
  std::optional<c10::InferenceMode> inference;

  /// Set in a worker that draws random numbers of its own.
  std::shared_ptr<ThreadGenerator> threadGenerator;

  /// Wrappers of gradients by tensor, held weakly, so that `x.grad === x.grad`.
  struct GradientWrapper {
    napi_ref weak;
    const Handle* handle;
  };
  std::unordered_map<const at::TensorImpl*, GradientWrapper> gradients;

  /// A function that a tensor's hook calls. The tensor owns the function; this entry owns neither.
  struct TensorHook {
    c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
    std::weak_ptr<JavaScriptValue> function;
  };
  std::vector<TensorHook> tensorHooks;

  std::shared_ptr<GraphNodes> graphNodes;
  /// Whether the running backward keeps its graph for another backward (`retainGraph`).
  bool keepsGraph = true;

  /// Returns the tensors that native code keeps from call to call and that JavaScript does not hold. nullptr
  /// if no native code keeps any.
  std::vector<at::Tensor> (*keptTensors)() = nullptr;

  /// The device events that JavaScript holds, by number. A thread that waits for an event shares it.
  std::unordered_map<uint32_t, std::shared_ptr<DeviceEvent>> events;
  uint32_t lastEvent = 0;

  /// How long, and how often, the host has waited for a device.
  double waitedMs = 0;
  int64_t waits = 0;

  /// Set while a step is recorded for `torch.capture`.
  std::unique_ptr<CaptureNotes> capture;
  /// Set while `lab.shadow` compares results.
  std::unique_ptr<ShadowNotes> shadow;
  std::shared_ptr<CapturedTensors> capturedTensors = std::make_shared<CapturedTensors>();

  std::vector<std::shared_ptr<Operator>> operators;
  std::vector<c10::IValue> spareStack;

  /// The array of `kExchangePlaces` numbers through which `call/fast_call.cc` and JavaScript exchange
  /// numbers.
  double* exchange = nullptr;
  napi_ref exchangeArray = nullptr;

  std::shared_ptr<DeadReferences> dead = std::make_shared<DeadReferences>();

 private:
  void throwInterruption();
  [[noreturn]] void throwCaptureRefusal();
  void throwShadowFinding();
  void useDevice(at::Device used);
  /// Bytes of live tensors and of what their wrappers hold beside them.
  int64_t heldBytes() const;
  void readDevice();
  bool mustReadDevice();
  void collect(napi_ref which);
  CollectionPace pace_;
  /// The device whose memory is counted besides the host's, and its bytes when last read.
  at::Device device_ = at::kCPU;
  int64_t deviceBytes_ = 0;
  /// Bytes of the tensors of this device that reached JavaScript since the last read, views included.
  int64_t unreadBytes_ = 0;
  uint32_t callsSinceRead_ = 0;
  bool closed_ = false;
};

/// Makes this environment the one of the calling thread. Each worker has its own; libtorch's threads have
/// none.
void setEnvironmentOfThread(Environment& environment);

/// Runs the collector of the calling thread's environment, if there is one. An allocation that would fail
/// calls it.
void collectGarbageOfThread();

/// Throws the interruption if the user asked for it in the calling thread's environment. For code that waits
/// on a thread that may be JavaScript's.
void checkStopOfThread();

}  // namespace mpslab
