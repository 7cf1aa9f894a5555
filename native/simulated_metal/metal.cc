// Implements device/metal.h for the simulated device. Its one queue runs the work of all streams in launch
// order, which every program with streams allows. There is no GPU whose calls could be captured.
#include "device/metal.h"

#include <c10/util/Exception.h>

#include <atomic>
#include <thread>

#include "simulated_metal/queue/queue.h"

namespace mpslab {
namespace {

/// The number of streams in PyTorch's pool, which are handed out in turn.
constexpr int64_t kPool = 32;

std::atomic<int64_t> handedOut{0};
thread_local int64_t current = 0;

}  // namespace

std::string metalName() { return "Simulated Metal"; }

int64_t metalCoreCount() { return static_cast<int64_t>(std::thread::hardware_concurrency()); }

int64_t newMetalStream() { return handedOut++ % kPool + 1; }

int64_t currentMetalStream() { return current; }

void setCurrentMetalStream(int64_t stream) { current = stream; }

void synchronizeMetalStream(int64_t) { metal::queue().synchronize(); }

bool metalCaptureEnabled() { return false; }

bool isCapturingMetal() { return false; }

void startMetalCapture(const std::string&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "simulated Metal has no GPU whose calls Xcode could show");
}

void stopMetalCapture() {}

}  // namespace mpslab
