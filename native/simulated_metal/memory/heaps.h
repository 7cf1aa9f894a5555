// Heaps of a simulated Metal device, and the buffers placed in them. The size classes, tiers, splits and
// merges follow the installed ATen/mps/MPSAllocator.h; the order of the attempts follows MPSAllocator.mm.
#pragma once
#include <c10/core/Storage.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>

#include "simulated_metal/memory/heap_log.h"

namespace mpslab::metal {

struct Heap;

/// A range of a heap: a buffer in use, or a free range. The blocks of a heap cover it without gaps.
struct Block {
  size_t bytes;
  /// The size before rounding; 0 while free.
  size_t requestedBytes = 0;
  size_t offset = 0;
  Heap* heap = nullptr;
  Block* next = nullptr;
  bool inUse = false;
  /// Number of the buffer placed on it, kept when the block is free; 0 while there is none.
  uint64_t buffer = 0;
  uint32_t uses = 0;
  /// The same memory as a storage for the host's kernels, which owns nothing.
  c10::Storage host;

  std::byte* data() const;
};

struct SmallerBlock {
  bool operator()(const Block* a, const Block* b) const;
};
struct OlderHeap {
  bool operator()(const Heap* a, const Heap* b) const;
};

/// Heaps of one size class, and the free blocks of all of them by size.
struct Pool {
  bool small;
  size_t minSplitBytes;
  size_t freeBytes = 0;
  std::set<Heap*, OlderHeap> heaps;
  std::set<Block*, SmallerBlock> freeBlocks;
};

struct Heap {
  Pool* pool;
  uint64_t number;
  std::byte* memory;
  size_t totalBytes;
  size_t freeBytes;
  /// At least as long as the longest run of adjacent free blocks.
  size_t longestRunBytes;
  Block* first;
};

/// Not thread-safe: the caller (`device_memory.h`) holds a lock.
class Heaps {
 public:
  static constexpr size_t kUnlimited = SIZE_MAX;

  struct Limits {
    /// Largest single buffer (MTLDevice.maxBufferLength).
    size_t bufferBytes;
    /// The high watermark: what all heaps together may hold.
    size_t highBytes = kUnlimited;
    /// The low watermark: beyond it, large allocations first give back heaps that are wholly free.
    size_t lowBytes = kUnlimited;
    /// The ratio behind the high watermark, 0 for none. PyTorch's message names the variable only if there is
    /// one.
    double highRatio = 0;
  };

  Heaps(const Limits& limits, HeapLog log);
  ~Heaps();
  Heaps(const Heaps&) = delete;
  Heaps& operator=(const Heaps&) = delete;

  /// Called before memory of a heap is given back, which queued work may still use.
  void setBeforeRelease(std::function<void()> callback) { beforeRelease_ = std::move(callback); }
  /// Sets a function that is called before an allocation fails. It may free tensors, and so call `give`.
  void setAllocationFailed(std::function<void()> callback) { allocationFailed_ = std::move(callback); }

  /// Throws c10::Error with PyTorch's text where the watermark or the host does not allow it.
  Block* take(size_t bytes);
  void give(Block* block);
  /// Gives back the heaps that are wholly free.
  void releaseFreeHeaps();

  /// Bytes of the buffers in use, rounded to their size classes.
  size_t allocatedBytes() const { return allocatedBytes_; }
  /// Bytes of all heaps.
  size_t heldBytes() const { return heldBytes_; }
  Limits& limits() { return limits_; }

  HeapLog& log() { return log_; }

  /// Returns the size that a request is rounded to: a multiple of the device's buffer alignment, and beyond 1
  /// MiB one of 32 sizes between each power of two and the next.
  size_t roundedBytes(size_t bytes) const;

 private:
  struct Request {
    size_t requestedBytes;
    /// Rounded.
    size_t bytes;
    Pool& pool;
    bool pressed;
  };

  Pool& poolOf(size_t roundedBytes);
  bool mayHold(size_t bytes) const;
  Block* reuse(const Request& request);
  Block* coalesce(const Request& request);
  Block* fromNewHeap(const Request& request);
  Block* split(Pool& pool, Block* block, size_t bytes);
  void place(Block* block);
  void displace(Block* block);
  void collectGarbage(Pool& pool);
  size_t releaseFreeHeaps(Pool& pool, size_t targetBytes);
  void release(Heap* heap);
  [[noreturn]] void failOutOfMemory(size_t bytes) const;

  Limits limits_;
  HeapLog log_;
  std::array<Pool, 2> pools_;
  size_t allocatedBytes_ = 0;
  size_t heldBytes_ = 0;
  uint64_t lastHeap_ = 0;
  uint64_t lastBuffer_ = 0;
  std::function<void()> beforeRelease_;
  std::function<void()> allocationFailed_;
};

}  // namespace mpslab::metal
