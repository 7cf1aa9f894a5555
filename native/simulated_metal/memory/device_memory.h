// The memory of the simulated device as libtorch sees it: a c10 allocator over the heaps, with limits,
// counters and the environment variables of PyTorch's MPS allocator. Any thread may call it.
#pragma once
#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>
#include <string>

#include "simulated_metal/memory/heaps.h"

namespace mpslab::metal {

/// Sizes of the device that is simulated.
struct DeviceSize {
  /// The Mac's whole memory.
  size_t memoryBytes;
  /// Two thirds of it, as Metal recommends on Apple silicon up to 36 GB.
  size_t recommendedBytes() const { return memoryBytes / 3 * 2; }
  /// MTLDevice.maxBufferLength: our choice of half the memory.
  size_t bufferBytes() const { return memoryBytes / 2; }
};

class DeviceMemory final : public c10::DeviceAllocator {
 public:
  /// Reads the watermarks from the environment. Throws c10::Error where they are out of order.
  explicit DeviceMemory(DeviceSize size);

  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* target, const void* source, size_t bytes) const override;
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t pool = {0, 0}) override;
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override;
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override;

  size_t allocatedBytes();
  size_t heldBytes();
  size_t recommendedBytes() const { return size_.recommendedBytes(); }
  size_t limitBytes();
  /// `setHighWatermarkRatio`: 0 to 2, where 0 means no limit. The low watermark does not change.
  void setHighWatermark(double ratio);
  /// `setLowWatermarkRatio`: at most the high one, where 0 means no limit.
  void setLowWatermark(double ratio);
  /// Whether the host has less free memory than the high watermark allows, so that its own is the limit.
  bool cappedByHost();

  /// Run with the lock held, on the thread whose allocation fails.
  void setAllocationFailed(std::function<void()> callback);

  /// The same memory as a CPU storage, for the host's kernels. Owns nothing.
  static c10::Storage hostStorage(const c10::Storage& storage);
  /// The number by which the allocator's log names the storage's buffer, 0 where it has none.
  static uint64_t bufferNumber(const c10::Storage& storage);

 private:
  static void release(void* block);

  std::recursive_mutex mutex_;
  DeviceSize size_;
  Heaps heaps_;
  double highRatio_ = 0;
  bool cappedByHost_ = false;
  size_t peakBytes_ = 0;
  int64_t allocations_ = 0;
};

/// The memory of the simulated device. Throws before the device is switched on.
DeviceMemory& deviceMemory();

}  // namespace mpslab::metal
