// Functions for devices and their memory: which are available, statistics, limits, caches, synchronization.
#include "device/devices.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/detail/MPSHooksInterface.h>
#include <dlfcn.h>

#include "addon/guard.h"
#include "addon/waiting.h"
#include "device/exports.h"
#include "memory/allocator.h"
#include "memory/device_statistics.h"
#include "tensor/value.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

/// The folder of the libtorch that this process runs on.
std::string libtorchFolder() {
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&c10::GetAllocator), &library) == 0) return {};
  const std::string path = library.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

bool works(at::DeviceType type) {
  switch (type) {
    case at::kCPU:
    case at::kMeta:
      return true;
    case at::kCUDA:
      return at::hasCUDA();
    case at::kMPS:
      return at::hasMPS();
    default:
      return false;
  }
}

Napi::Value devices(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array built = Napi::Array::New(env);
  Napi::Array available = Napi::Array::New(env);
  const auto add = [&](Napi::Array& list, const std::string& name) { list.Set(list.Length(), name); };
  add(built, "cpu");
  add(available, "cpu");
  if (at::hasCUDA() || at::globalContext().hasCUDART()) add(built, "cuda");
  if (works(at::kCUDA)) {
    const auto count = at::detail::getCUDAHooks().deviceCount();
    for (int index = 0; index < count; ++index) add(available, "cuda:" + std::to_string(index));
  }
#ifdef __APPLE__
  add(built, "mps");
#else
  if (at::hasMPS()) add(built, "mps");
#endif
  if (at::hasMPS()) add(available, "mps");
  Napi::Object result = Napi::Object::New(env);
  result.Set("built", built);
  result.Set("available", available);
  return result;
}

/// The number of the GPU that "cuda" stands for on this thread.
Napi::Value currentCudaDevice(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), at::accelerator::getDeviceIndex());
}

Napi::Value setCudaDevice(Environment& environment, const Napi::CallbackInfo& info) {
  at::accelerator::setDeviceIndex(deviceArgument(environment, info[0], "setCudaDevice").index());
  return info.Env().Undefined();
}

Napi::Value memoryStats(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = deviceArgument(environment, info[0], "memoryStats");
  const MemoryStatistics memory = memoryStatistics(device);
  Napi::Object result = Napi::Object::New(info.Env());
  const auto set = [&](const char* name, int64_t value) { result.Set(name, static_cast<double>(value)); };
  set("allocatedBytes", memory.allocatedBytes);
  set("driverBytes", memory.driverBytes);
  set("recommendedBytes", memory.recommendedBytes);
  set("peakBytes", memory.peakBytes);
  set("allocations", memory.allocations);
  return result;
}

Napi::Value resetPeak(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = deviceArgument(environment, info[0], "resetPeak");
  resetPeakBytes(device);
  return info.Env().Undefined();
}

Napi::Value emptyCache(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = deviceArgument(environment, info[0], "emptyCache");
  return Napi::Number::New(info.Env(), static_cast<double>(emptyCacheOf(device)));
}

/// Waits for the device. The CPU needs no wait: its operators are done when they return.
Napi::Value synchronize(Environment& environment, const Napi::CallbackInfo& info) {
  environment.refuseInCapture(
      "synchronize() waits for the device, which a replay does not: wait outside of the step");
  const at::Device device = deviceArgument(environment, info[0], "synchronize");
  if (device.is_mps() || device.is_cuda()) waitForDevice(environment, device);
  return info.Env().Undefined();
}

/// Does the same as torch.mps.set_per_process_memory_fraction. The CPU has setHostLimits instead. CUDA's
/// function is in a header that only CUDA builds have.
Napi::Value setMemoryFraction(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = deviceArgument(environment, info[0], "setMemoryFraction");
  if (!device.is_mps())
    throwTypeError(environment, "setMemoryFraction() is for mps, not for " + device.str() + ".");
  at::detail::getMPSHooks().setMemoryFraction(info[1].ToNumber());
  return info.Env().Undefined();
}

Napi::Value setHostLimits(Environment& environment, const Napi::CallbackInfo& info) {
  HostAllocator::Limits limits = hostAllocator().limits();
  const auto given = info[0].As<Napi::Object>();
  const auto read = [&](const char* name, double current) {
    const Napi::Value value = given.Get(name);
    if (value.IsUndefined()) return current;
    const Value looked = look(environment, value);
    if (looked.kind != Value::Kind::Number || !(looked.number >= 0 && looked.number < 9e15)) {
      throwRangeError(environment, "setHostLimits(): '" + std::string(name) +
                                       "' must be a number from 0 up, but got " +
                                       describe(environment, looked) + ".");
    }
    return looked.number;
  };
  limits.recommendedBytes =
      static_cast<int64_t>(read("recommendedBytes", static_cast<double>(limits.recommendedBytes)));
  limits.highWatermark = read("highWatermark", limits.highWatermark);
  limits.lowWatermark = read("lowWatermark", limits.lowWatermark);
  if (limits.highWatermark != 0 && limits.lowWatermark > limits.highWatermark) {
    throwRangeError(environment, "setHostLimits(): the low watermark must not be above the high one.");
  }
  hostAllocator().setLimits(limits);
  return info.Env().Undefined();
}

Napi::Value folderOfLibtorch(Environment&, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), libtorchFolder());
}

#ifdef __linux__
bool leavesCudaOut() {
  const char* metal = std::getenv("MPSLAB_METAL");
  if (metal != nullptr && *metal != '\0') return true;
  // CUDA reads the list of devices up to the first invalid one, so a list that begins with -1 shows none.
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (*visible == '\0' || *visible == '-');
}
#endif

}  // namespace

at::Device deviceArgument(Environment& environment, Napi::Value value, const char* function) {
  const std::string name = value.ToString();
  const auto device = deviceOf(name);
  if (!device) {
    throwTypeError(environment, std::string(function) +
                                    "(): the device must be \"cpu\", \"mps\" or \"cuda\", but got \"" + name +
                                    "\".");
  }
  if (!works(device->type())) {
    std::string here = "cpu";
    for (const auto& [type, other] : {std::pair{at::kCUDA, "cuda"}, std::pair{at::kMPS, "mps"}}) {
      if (works(type)) here += std::string(", ") + other;
    }
    throwRangeError(environment, std::string(function) + "(): the device " + name +
                                     " is not available here; " + here + (here == "cpu" ? " is." : " are."));
  }
  if (device->is_cuda() &&
      (device->has_index() ? device->index() : 0) >= at::detail::getCUDAHooks().deviceCount()) {
    throwRangeError(environment, std::string(function) + "(): there are " +
                                     std::to_string(at::detail::getCUDAHooks().deviceCount()) +
                                     " CUDA devices, but got " + name + ".");
  }
  return *device;
}

void loadCuda() {
#ifdef __linux__
  if (leavesCudaOut()) return;
  if (dlopen("libcuda.so.1", RTLD_LAZY) == nullptr) return;
  dlopen((libtorchFolder() + "libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
#endif
}

void defineDevices(Environment& environment, Napi::Object exports) {
  define<devices>(environment, exports, "devices");
  define<currentCudaDevice>(environment, exports, "currentCudaDevice");
  define<setCudaDevice>(environment, exports, "setCudaDevice");
  define<folderOfLibtorch>(environment, exports, "libtorchFolder");
  define<memoryStats>(environment, exports, "memoryStats");
  define<resetPeak>(environment, exports, "resetPeak");
  define<emptyCache>(environment, exports, "emptyCache");
  define<synchronize>(environment, exports, "synchronize");
  define<setMemoryFraction>(environment, exports, "setMemoryFraction");
  define<setHostLimits>(environment, exports, "setHostLimits");
}

}  // namespace mpslab
