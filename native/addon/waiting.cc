// Waits for Metal through PyTorch's hooks, and for other devices through libtorch's accelerator interface.
#include "addon/waiting.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/detail/MPSHooksInterface.h>

#include <atomic>

#include "addon/exports.h"
#include "addon/guard.h"
#include "memory/device_statistics.h"

namespace mpslab {
namespace {

std::atomic<CudaWait> cudaWait{nullptr};

Napi::Value waited(Environment& environment, const Napi::CallbackInfo& info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("waitedMs", environment.waitedMs);
  result.Set("waits", static_cast<double>(environment.waits));
  return result;
}

}  // namespace

void waitForDevice(Environment& environment, at::Device device) {
  const Waiting waiting(environment);
  if (device.is_mps()) return at::detail::getMPSHooks().deviceSynchronize();
  const CudaWait wait = cudaWait.load(std::memory_order_relaxed);
  if (wait != nullptr && device.is_cuda()) return wait(environment, device);
  at::accelerator::synchronizeDevice(deviceIndexOf(device));
}

void setCudaWait(CudaWait wait) { cudaWait.store(wait, std::memory_order_relaxed); }

void defineWaiting(Environment& environment, Napi::Object exports) {
  define<waited>(environment, exports, "waited");
}

}  // namespace mpslab
