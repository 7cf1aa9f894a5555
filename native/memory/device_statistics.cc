// Reads Metal's statistics through PyTorch's hooks and CUDA's through libtorch's caching device allocator.
#include "memory/device_statistics.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/detail/MPSHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>

#include "memory/allocator.h"

namespace mpslab {
namespace {

MemoryStatistics hostMemory() {
  const HostAllocator& host = hostAllocator();
  return {host.allocatedBytes(), host.heldBytes(), host.limits().recommendedBytes, host.peakBytes(),
          host.allocations()};
}

/// Null if the installed PyTorch's Metal allocator keeps no statistics; then the current bytes are reported
/// as the peak.
c10::DeviceAllocator* metalAllocator() {
  return dynamic_cast<c10::DeviceAllocator*>(at::detail::getMPSHooks().getMPSDeviceAllocator());
}

MemoryStatistics metalMemory() {
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto& metal = at::detail::getMPSHooks();
  auto* const allocator = metalAllocator();
  const auto stats =
      allocator == nullptr ? c10::CachingDeviceAllocator::DeviceStats{} : allocator->getDeviceStats(0);
  const auto allocated = static_cast<int64_t>(metal.getCurrentAllocatedMemory());
  return {allocated, static_cast<int64_t>(metal.getDriverAllocatedMemory()),
          static_cast<int64_t>(metal.getRecommendedMaxMemory()),
          std::max(allocated, stats.allocated_bytes[kAll].peak), stats.allocation[kAll].allocated};
}

/// CUDA's allocator knows no device before CUDA was used.
c10::DeviceAllocator* cudaAllocator() {
  at::globalContext().lazyInitDevice(at::kCUDA);
  return at::getDeviceAllocator(at::kCUDA);
}

MemoryStatistics cudaMemory(at::DeviceIndex index) {
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  auto* allocator = cudaAllocator();
  const auto stats = allocator->getDeviceStats(index);
  const auto total = allocator->getMemoryInfo(index).second;
  return {stats.allocated_bytes[kAll].current, stats.reserved_bytes[kAll].current,
          static_cast<int64_t>(total), stats.allocated_bytes[kAll].peak, stats.allocation[kAll].allocated};
}

}  // namespace

c10::DeviceIndex deviceIndexOf(c10::Device device) {
  return device.has_index() ? device.index() : at::accelerator::getDeviceIndex();
}

MemoryStatistics memoryStatistics(c10::Device device) {
  if (device.is_mps()) return metalMemory();
  if (device.is_cuda()) return cudaMemory(deviceIndexOf(device));
  return device.is_cpu() ? hostMemory() : MemoryStatistics{};
}

int64_t deviceAllocatedBytes(at::Device device) {
  if (device.is_mps()) return static_cast<int64_t>(at::detail::getMPSHooks().getCurrentAllocatedMemory());
  if (device.is_cuda()) return cudaMemory(deviceIndexOf(device)).allocatedBytes;
  return 0;
}

void resetPeakBytes(c10::Device device) {
  if (device.is_cpu()) hostAllocator().resetPeak();
  if (device.is_mps() && metalAllocator() != nullptr) metalAllocator()->resetPeakStats(0);
  if (device.is_cuda()) cudaAllocator()->resetPeakStats(deviceIndexOf(device));
}

int64_t emptyCacheOf(c10::Device device) {
  int64_t freed = 0;
  if (device.is_cpu()) {
    freed = hostAllocator().emptyCache();
  } else if (device.is_mps()) {
    const int64_t before = metalMemory().driverBytes;
    at::detail::getMPSHooks().emptyCache();
    freed = before - metalMemory().driverBytes;
  } else if (device.is_cuda()) {
    const int64_t before = cudaMemory(deviceIndexOf(device)).driverBytes;
    cudaAllocator()->emptyCache();
    freed = before - cudaMemory(deviceIndexOf(device)).driverBytes;
  }
  return freed;
}

}  // namespace mpslab
