// Memory statistics of each device: our host allocator's for the CPU, libtorch's own for CUDA and Metal.
#pragma once
#include <c10/core/Device.h>

#include <cstdint>

namespace mpslab {

/// The index of a device; if it has none, that of the current device.
c10::DeviceIndex deviceIndexOf(c10::Device device);

struct MemoryStatistics {
  int64_t allocatedBytes = 0;
  int64_t driverBytes = 0;
  int64_t recommendedBytes = 0;
  int64_t peakBytes = 0;
  int64_t allocations = 0;
};

/// All zero for a device that has no memory of its own (meta).
MemoryStatistics memoryStatistics(c10::Device device);

/// Bytes that tensors hold on a device that is not the CPU.
int64_t deviceAllocatedBytes(c10::Device device);

/// Resets the peak to the bytes that are allocated now.
void resetPeakBytes(c10::Device device);

/// Gives cached blocks back to the system. Returns how many bytes it gave back.
int64_t emptyCacheOf(c10::Device device);

}  // namespace mpslab
