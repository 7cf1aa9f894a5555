// The caching allocator for host memory. It keeps freed blocks for reuse, with the counters and limits of
// PyTorch's MPS allocator. There is one for the process; any thread may call it.
#pragma once
#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>

namespace mpslab {

class HostAllocator final : public c10::Allocator {
 public:
  struct Limits {
    int64_t recommendedBytes;
    /// Multiples of `recommendedBytes`: beyond the high one allocations fail, beyond the low one nothing is
    /// cached.
    double highWatermark;
    double lowWatermark;
  };

  HostAllocator();

  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* target, const void* source, size_t bytes) const override;

  /// Bytes that live tensors asked for.
  int64_t allocatedBytes() const { return allocated_.load(std::memory_order_relaxed); }
  /// Bytes held from the system, cached blocks included.
  int64_t heldBytes() const { return held_.load(std::memory_order_relaxed); }
  int64_t peakBytes() const { return peak_.load(std::memory_order_relaxed); }
  int64_t allocations() const { return allocations_.load(std::memory_order_relaxed); }
  Limits limits() const;
  void setLimits(const Limits& limits);
  void resetPeak() { peak_.store(allocatedBytes(), std::memory_order_relaxed); }

  /// Gives cached blocks back to the system. Returns the bytes given back.
  int64_t emptyCache();

  /// Called before an allocation fails, on its thread, with no lock held, so that JavaScript can free
  /// tensors.
  void setMemoryPressureCallback(void (*callback)()) { pressure_ = callback; }

 private:
  struct Block;
  friend struct ThreadCache;

  static void release(void* data);
  void* take(size_t bytes);
  Block* takeSmall(size_t bytes, uint32_t sizeClass, size_t blockBytes);
  void* takeLarge(size_t bytes);
  Block* takeFromSystem(size_t bytes, size_t blockBytes, uint32_t sizeClass);
  void reserve(size_t bytes, size_t blockBytes);
  void keepOrReturn(Block* block);
  void returnToSystem(Block* block);
  bool mayHold(size_t blockBytes) const;
  void count(int64_t bytes);
  [[noreturn]] void failOutOfMemory(size_t bytes) const;

  std::atomic<int64_t> allocated_{0};
  std::atomic<int64_t> held_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> allocations_{0};
  /// The most bytes that tensors held at a time since the cache was last emptied. It limits the cache.
  std::atomic<int64_t> demand_{0};
  std::atomic<int64_t> recommended_;
  std::atomic<double> high_{1.25};
  std::atomic<double> low_{1.0};
  void (*pressure_)() = nullptr;
};

HostAllocator& hostAllocator();

/// Makes it libtorch's allocator for the CPU. Before libtorch's first allocation.
void installHostAllocator();

}  // namespace mpslab
