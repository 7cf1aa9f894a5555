// Watermarks, counters, and the way from libtorch to a block. Sources in PyTorch: setHighWatermarkRatio,
// setLowWatermarkRatio and the defaults of ATen/mps/MPSAllocator.{h,mm}. The limit by the host's free memory
// is ours: the simulated Mac may have more memory than this machine, and the simulation must report
// out-of-memory before the system runs out.
#include "simulated_metal/memory/device_memory.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>

#include "memory/allocation_history.h"
#include "memory/system_memory.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

constexpr double kHighDefault = 1.7;
constexpr double kHighMost = 2.0;
constexpr double kLowDefault = 1.4;

double ratioFromEnvironment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

HeapLog logFromEnvironment() {
  const char* bits = std::getenv("PYTORCH_DEBUG_MPS_ALLOCATOR");
  return HeapLog(bits == nullptr ? 0 : std::strtol(bits, nullptr, 0));
}

}  // namespace

DeviceMemory::DeviceMemory(DeviceSize size)
    : size_(size), heaps_({size.bufferBytes()}, logFromEnvironment()) {
  setHighWatermark(ratioFromEnvironment("PYTORCH_MPS_HIGH_WATERMARK_RATIO", kHighDefault));
  setLowWatermark(ratioFromEnvironment("PYTORCH_MPS_LOW_WATERMARK_RATIO", kLowDefault));
  heaps_.log().recommends(size_.recommendedBytes());
  // Queued work may still use memory that its tensors have given back; see queue.h.
  heaps_.setBeforeRelease([] { queue().drain(); });
}

void DeviceMemory::setHighWatermark(double ratio) {
  TORCH_CHECK_VALUE(ratio >= 0.0 && ratio <= kHighMost, "invalid high watermark ratio ", ratio);
  const std::lock_guard lock(mutex_);
  const auto wished = ratio == 0 ? Heaps::kUnlimited
                                 : static_cast<size_t>(ratio * static_cast<double>(size_.recommendedBytes()));
  // An eighth of the free memory is left for other programs on the host.
  const auto free = static_cast<size_t>(freeHostBytes());
  const size_t most = heaps_.heldBytes() + free - free / 8;
  cappedByHost_ = wished > most;
  heaps_.limits().highBytes = cappedByHost_ ? most : wished;
  heaps_.limits().highRatio = ratio;
  highRatio_ = ratio;
  heaps_.log().limits("High", heaps_.limits().highBytes);
}

void DeviceMemory::setLowWatermark(double ratio) {
  const double most = highRatio_ == 0 ? kHighMost : highRatio_;
  TORCH_CHECK_VALUE(ratio >= 0.0 && ratio <= most, "invalid low watermark ratio ", ratio);
  const std::lock_guard lock(mutex_);
  heaps_.limits().lowBytes = ratio == 0
                                 ? Heaps::kUnlimited
                                 : static_cast<size_t>(ratio * static_cast<double>(size_.recommendedBytes()));
  heaps_.log().limits("Low", heaps_.limits().lowBytes);
}

c10::DataPtr DeviceMemory::allocate(size_t bytes) {
  const c10::Device device(c10::kMPS, 0);
  if (bytes == 0) return {nullptr, device};
  Block* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    block = heaps_.take(bytes);
    ++allocations_;
    peakBytes_ = std::max(peakBytes_, heaps_.allocatedBytes());
    if (!block->host || block->host.nbytes() != bytes) {
      block->host = c10::Storage(c10::Storage::use_byte_size_t(), bytes,
                                 c10::DataPtr(block->data(), c10::Device(c10::kCPU)), nullptr, false);
    }
  }
  noteAllocation(block->data(), block->bytes, device);
  return {block->data(), block, &DeviceMemory::release, device};
}

void DeviceMemory::release(void* block) {
  DeviceMemory& memory = deviceMemory();
  const std::lock_guard lock(memory.mutex_);
  const auto* freed = static_cast<const Block*>(block);
  noteRelease(freed->data(), freed->bytes, c10::Device(c10::kMPS, 0));
  memory.heaps_.give(static_cast<Block*>(block));
}

c10::Storage DeviceMemory::hostStorage(const c10::Storage& storage) {
  const auto* block = static_cast<const Block*>(storage.data_ptr().get_context());
  if (block != nullptr && storage.nbytes() == block->requestedBytes) return block->host;
  return {c10::Storage::use_byte_size_t(), storage.nbytes(),
          c10::DataPtr(storage.mutable_data(), c10::Device(c10::kCPU)), nullptr, false};
}

uint64_t DeviceMemory::bufferNumber(const c10::Storage& storage) {
  const auto* block = static_cast<const Block*>(storage.data_ptr().get_context());
  return block == nullptr ? 0 : block->buffer;
}

/// No raw pointers: a pointer must carry its block, which frees it.
c10::DeleterFnPtr DeviceMemory::raw_deleter() const { return nullptr; }

void DeviceMemory::copy_data(void* target, const void* source, size_t bytes) const {
  queue().drain();
  std::memcpy(target, source, bytes);
}

void DeviceMemory::emptyCache(c10::MempoolId_t) {
  queue().drain();
  const std::lock_guard lock(mutex_);
  heaps_.releaseFreeHeaps();
}

size_t DeviceMemory::allocatedBytes() {
  const std::lock_guard lock(mutex_);
  return heaps_.allocatedBytes();
}

size_t DeviceMemory::heldBytes() {
  const std::lock_guard lock(mutex_);
  return heaps_.heldBytes();
}

size_t DeviceMemory::limitBytes() {
  const std::lock_guard lock(mutex_);
  return heaps_.limits().highBytes;
}

bool DeviceMemory::cappedByHost() {
  const std::lock_guard lock(mutex_);
  return cappedByHost_;
}

void DeviceMemory::setAllocationFailed(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  heaps_.setAllocationFailed(std::move(callback));
}

c10::CachingDeviceAllocator::DeviceStats DeviceMemory::getDeviceStats(c10::DeviceIndex) {
  const std::lock_guard lock(mutex_);
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  c10::CachingDeviceAllocator::DeviceStats stats;
  stats.allocated_bytes[kAll].current = static_cast<int64_t>(heaps_.allocatedBytes());
  stats.allocated_bytes[kAll].peak = static_cast<int64_t>(peakBytes_);
  stats.reserved_bytes[kAll].current = static_cast<int64_t>(heaps_.heldBytes());
  stats.allocation[kAll].allocated = allocations_;
  return stats;
}

void DeviceMemory::resetPeakStats(c10::DeviceIndex) {
  const std::lock_guard lock(mutex_);
  peakBytes_ = heaps_.allocatedBytes();
}

}  // namespace mpslab::metal
