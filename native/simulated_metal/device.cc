// Registers the hooks and the device guard through which libtorch uses a Metal device. libtorch keeps the
// first hooks that it finds, so they are registered when the addon is loaded; they report no device until it
// is switched on. The interface is ATen/detail/MPSHooksInterface.h.
#include "simulated_metal/device.h"

#include <ATen/detail/MPSHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <memory>

#include "simulated_metal/kernels/generator.h"
#include "simulated_metal/kernels/registration.h"
#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/events.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

std::atomic<bool> on{false};
Options chosen;
DeviceMemory* memory = nullptr;

const c10::Device kDevice(c10::kMPS, 0);
const c10::Stream kStream(c10::Stream::DEFAULT, kDevice);

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kMPS; }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return kStream; }
  c10::Stream getDefaultStream(c10::Device) const override { return kStream; }
  c10::Stream exchangeStream(c10::Stream) const override { return kStream; }
  c10::DeviceIndex deviceCount() const noexcept override { return on ? 1 : 0; }
  void synchronizeDevice(c10::DeviceIndex) const override { queue().synchronize(); }
};

struct Hooks final : at::MPSHooksInterface {
  void init() const override {}
  bool hasMPS() const override { return on; }
  bool isBuilt() const override { return on; }
  bool isAvailable() const override { return on; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return on; }
  c10::DeviceIndex deviceCount() const override { return on ? 1 : 0; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  bool isOnMacOSorNewer(unsigned, unsigned) const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override { return defaultGenerator(); }
  at::Generator getNewGenerator(c10::DeviceIndex) const override { return newGenerator(); }
  at::Allocator* getMPSDeviceAllocator() const override { return &deviceMemory(); }
  c10::Device getDeviceFromPtr(void*) const override { return kDevice; }
  void deviceSynchronize() const override { queue().synchronize(); }
  void commitStream() const override {}
  void emptyCache() const override { deviceMemory().emptyCache(); }
  size_t getCurrentAllocatedMemory() const override { return deviceMemory().allocatedBytes(); }
  size_t getDriverAllocatedMemory() const override { return deviceMemory().heldBytes(); }
  size_t getRecommendedMaxMemory() const override { return deviceMemory().recommendedBytes(); }
  void setMemoryFraction(double ratio) const override { deviceMemory().setHighWatermark(ratio); }
  void profilerStartTrace(const std::string& mode, bool wait) const override { startTrace(mode, wait); }
  void profilerStopTrace() const override { stopTrace(); }
  uint32_t acquireEvent(bool timing) const override { return events().acquire(timing); }
  void releaseEvent(uint32_t event) const override { events().release(event); }
  void recordEvent(uint32_t event) const override { events().record(event); }
  void waitForEvent(uint32_t) const override {}  // One queue: what comes later runs later.
  void synchronizeEvent(uint32_t event) const override { events().synchronize(event); }
  bool queryEvent(uint32_t event) const override { return events().query(event); }
  double elapsedTimeOfEvents(uint32_t start, uint32_t end) const override {
    return events().elapsedMs(start, end);
  }
};

C10_REGISTER_GUARD_IMPL(MPS, Guard)

[[maybe_unused]] const bool registered = [] {
  // The macro for this passes arguments in 2.11 and none in 2.15.
  at::MPSHooksRegistry()->Register("MPSHooks", [](auto&&...) -> std::unique_ptr<at::MPSHooksInterface> {
    return std::make_unique<Hooks>();
  });
  return true;
}();

}  // namespace

bool isSimulated() { return on; }
const Options& options() { return chosen; }

DeviceMemory& deviceMemory() {
  TORCH_CHECK(memory != nullptr, "Metal is not simulated");
  return *memory;
}

void simulate(const Options& options, const MetalKernels& kernels, Language language) {
  // Never destroyed: tensors in static storage may be freed after the destructors of statics ran.
  auto made = std::make_unique<DeviceMemory>(options.size);
  readProfilerEnvironment();
  made->setAllocationFailed(std::move(language.collectGarbage));
  memory = made.release();
  chosen = options;
  c10::SetAllocator(c10::kMPS, memory, /*priority=*/100);
  queue().start(options.queueing, std::move(language.checkStop));
  registerKernels(kernels);
  on = true;
}

}  // namespace mpslab::metal
