// Describes each launch for signposts and the profile log.
#include "simulated_metal/profile/profiler.h"

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <sstream>

#include "simulated_metal/memory/device_memory.h"
#include "simulated_metal/profile/profile_log.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

struct Watchers {
  std::mutex mutex;
  Signposts signposts;
  ProfileLog log{0};
  /// Whether signposts or the log are on. If not, a launch reads only this flag.
  std::atomic<bool> any{false};

  void settle() {
    any = signposts.on() || log.on();
    queue().waitForEach(signposts.waits());
  }
};

/// Never destroyed: the queue's thread outlives everything static.
Watchers& watchers() {
  static auto* theWatchers = new Watchers;
  return *theWatchers;
}

bool watches(Execution::Kind kind) {
  Watchers& own = watchers();
  if (!own.any) return false;
  const std::lock_guard lock(own.mutex);
  return own.signposts.tells(kind) || own.log.tells(kind);
}

void noteEnded(const Execution& execution) {
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  if (own.signposts.tells(execution.kind)) own.signposts.note(execution);
  if (own.log.tells(execution.kind)) own.log.ended(execution);
}

std::unique_ptr<Execution> launched(Execution execution) {
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  if (own.log.tells(execution.kind)) own.log.launched(execution);
  execution.onEnd = noteEnded;
  return std::make_unique<Execution>(std::move(execution));
}

/// BaseInfo::buildTensorString: `MPS:Float[2, 2]`, with its buffer `MPS(buf#3):Float[2, 2]`.
void write(std::ostream& text, const at::Tensor& tensor) {
  text << c10::DeviceTypeName(tensor.device().type());
  if (watchers().log.namesBuffers() && tensor.is_mps())
    text << "(buf#" << DeviceMemory::bufferNumber(tensor.storage()) << ")";
  text << ":" << tensor.scalar_type() << tensor.sizes();
}

void writeTensors(std::ostream& text, Arguments arguments) {
  for (const c10::IValue& argument : arguments) {
    if (argument.isList()) {
      const std::vector<c10::IValue> elements = argument.toListRef().vec();
      writeTensors(text, elements);
    } else if (argument.isTensor() && argument.toTensor().defined()) {
      text << ":";
      write(text, argument.toTensor());
    }
  }
}

std::string withTensors(const std::string& name, Arguments arguments) {
  std::ostringstream text;
  text << name;
  writeTensors(text, arguments);
  return std::move(text).str();
}

const char* kindOfCopy(const at::Tensor& from, const at::Tensor& to) {
  if (!from.is_mps()) return "CPU to MPS";
  return to.is_mps() ? "MPS to MPS" : "MPS to CPU";
}

long bitsOf(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 0);
}

}  // namespace

std::unique_ptr<Execution> watchOperation(const std::string& name, Arguments arguments, bool queued) {
  constexpr auto kKind = Execution::Kind::Operation;
  if (!watches(kKind)) return nullptr;
  return launched({kKind, name, withTensors(name, arguments), 0, !queued, queued});
}

/// A copy that does not block goes through the queue, as through Metal's blit encoder. Others are made by the
/// host, as on unified memory.
std::unique_ptr<Execution> watchCopy(const at::Tensor& from, const at::Tensor& to, bool blocking) {
  constexpr auto kKind = Execution::Kind::Copy;
  if (!watches(kKind)) return nullptr;
  std::ostringstream text;
  text << (blocking ? "MemCopySync: " : "BlitCopy: ");
  write(text, from);
  text << " --> ";
  write(text, to);
  return launched({kKind, kindOfCopy(from, to), std::move(text).str(), to.nbytes(), blocking, !blocking});
}

std::unique_ptr<Execution> watchFallback(const std::string& name, Arguments arguments, size_t bytes) {
  constexpr auto kKind = Execution::Kind::Fallback;
  if (!watches(kKind)) return nullptr;
  return launched({kKind, name, withTensors(name, arguments), bytes, true, false});
}

void startTrace(const std::string& mode, bool waitUntilCompleted) {
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  own.signposts.start(mode, waitUntilCompleted);
  own.settle();
}

void stopTrace() {
  // Waits first, so that work that was launched before the end is in the trace.
  queue().drain();
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  own.signposts.stop();
  own.settle();
}

std::vector<Signpost> keptSignposts() {
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  return own.signposts.kept();
}

void readProfilerEnvironment() {
  Watchers& own = watchers();
  const std::lock_guard lock(own.mutex);
  own.log = ProfileLog(bitsOf("PYTORCH_MPS_LOG_PROFILE_INFO"));
  own.signposts.start(bitsOf("PYTORCH_MPS_TRACE_SIGNPOSTS"));
  own.settle();
  if (!own.log.printsTables()) return;
  std::atexit([] {
    queue().finish();
    Watchers& own = watchers();
    const std::lock_guard lock(own.mutex);
    own.log.printTables();
  });
}

}  // namespace mpslab::metal
