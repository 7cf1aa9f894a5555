// Implements the host allocator. Small and medium blocks wait in lists of the thread that freed them, so a
// small tensor costs no lock and no system call. Large blocks wait in one ordered list of the process. They
// are cut from huge pages, or mapped one by one beyond 2 MiB.
#include "memory/allocator.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>

#include "errors/flight_recorder.h"
#include "memory/allocation_history.h"
#include "memory/huge_page_blocks.h"
#include "memory/result_places.h"
#include "memory/small_blocks.h"
#include "memory/system_memory.h"

namespace mpslab {

/// Stands before the data of each block. Its size keeps the data aligned for every vector instruction.
struct alignas(64) HostAllocator::Block {
  size_t requestedBytes;
  /// Header included.
  size_t blockBytes;
  Block* next;
  /// The index of the list that the block returns to; kLarge for the process's list.
  uint32_t sizeClass;

  void* data() { return this + 1; }
  static Block* of(void* data) { return static_cast<Block*>(data) - 1; }
};

namespace {

constexpr size_t kMiB = 1024 * 1024;
constexpr size_t kMediumBytes = 64 * 1024;
constexpr uint32_t kLarge = UINT32_MAX;

// Up to 1 KiB there is a class for every 64 bytes, whose blocks are cut from chunks. Above that there are
// four classes for each doubling, whose blocks come from the C heap.
constexpr uint32_t kFineClasses = kSmallClasses;
constexpr uint32_t kClasses = kFineClasses + 4 * 6;

uint32_t sizeClassOf(size_t bytes) {
  if (bytes <= 1024) return static_cast<uint32_t>((bytes - 1) / 64);
  const auto exponent = static_cast<uint32_t>(std::bit_width(bytes - 1) - 1);  // 2^exponent < bytes
  const auto quarter = static_cast<uint32_t>(((bytes - 1) >> (exponent - 2)) & 3);
  return kFineClasses + (exponent - 10) * 4 + quarter;
}

size_t bytesOfClass(uint32_t sizeClass) {
  if (sizeClass < kFineClasses) return (sizeClass + 1) * 64;
  const uint32_t exponent = 10 + (sizeClass - kFineClasses) / 4;
  const uint32_t quarter = (sizeClass - kFineClasses) % 4;
  return (size_t{1} << exponent) + (size_t{quarter} + 1) * (size_t{1} << (exponent - 2));
}

/// A thread keeps this much in its lists of medium blocks: a collection frees thousands at a time.
constexpr size_t kThreadBytes = 32 * kMiB;

/// Memory held beyond this multiple of the largest demand so far is given back, because cached blocks of
/// shapes that never return would pile up.
constexpr double kCacheOverPeak = 1.25;
constexpr int64_t kCacheSlackBytes = 64 * static_cast<int64_t>(kMiB);

/// Increased when the cache is emptied. Each thread compares it at its next use and empties its own lists.
std::atomic<uint32_t> cacheGeneration{0};

}  // namespace

/// Free small and medium blocks of one thread.
struct ThreadCache {
  using Block = HostAllocator::Block;
  SmallBlocks small;
  /// The first block of each class. Lists below kFineClasses stay empty: `small` has those blocks.
  Block* lists[kClasses] = {};
  size_t bytes = 0;
  uint32_t generation = 0;
  bool alive = true;

  ~ThreadCache() {
    empty();
    alive = false;
  }

  void refresh() {
    const uint32_t current = cacheGeneration.load(std::memory_order_relaxed);
    if (generation == current) return;
    generation = current;
    empty();
  }

  void empty() {
    hostAllocator().held_ -= static_cast<int64_t>(small.releaseChunks());
    for (Block*& first : lists) {
      while (first != nullptr) {
        Block* block = first;
        first = block->next;
        hostAllocator().returnToSystem(block);
      }
    }
    bytes = 0;
  }
};

namespace {

thread_local ThreadCache threadCache;

/// Free large blocks of the process, by size.
struct LargeCache {
  std::mutex mutex;
  std::multimap<size_t, void*> blocks;
  int64_t bytes = 0;
};

LargeCache& largeCache() {
  // Never destroyed: tensors in static storage may be freed after the destructors of statics ran.
  static auto* cache = new LargeCache;
  return *cache;
}

HugePageBlocks& hugePageBlocks() {
  static auto* blocks = new HugePageBlocks;
  return *blocks;
}

/// Medium blocks come from the C heap, large ones from regions of huge pages; still larger ones are mapped
/// one by one.
void* takePages(size_t blockBytes, uint32_t sizeClass, size_t alignment) {
  if (sizeClass != kLarge) return std::aligned_alloc(alignment, blockBytes);
  if (blockBytes <= HugePageBlocks::kMostBytes) return hugePageBlocks().take(blockBytes);
  return mapPages(blockBytes);
}

void givePages(void* block, size_t blockBytes, uint32_t sizeClass) {
  if (sizeClass != kLarge) {
    std::free(block);
  } else if (blockBytes <= HugePageBlocks::kMostBytes) {
    hugePageBlocks().give(block, blockBytes);
  } else {
    unmapPages(block, blockBytes);
  }
}

}  // namespace

HostAllocator::HostAllocator() : recommended_(recommendedHostBytes()) {}

HostAllocator::Limits HostAllocator::limits() const {
  return {recommended_.load(), high_.load(), low_.load()};
}

void HostAllocator::setLimits(const Limits& limits) {
  recommended_ = limits.recommendedBytes;
  high_ = limits.highWatermark;
  low_ = limits.lowWatermark;
}

c10::DataPtr HostAllocator::allocate(size_t bytes) {
  const c10::Device cpu(c10::kCPU);
  if (bytes == 0) return {nullptr, cpu};
  if (placing) [[unlikely]] {
    if (c10::DataPtr place = takePlace(bytes)) return place;
  }
  void* data = bytes <= kMediumBytes ? take(bytes) : takeLarge(bytes);
  Block::of(data)->requestedBytes = bytes;
  count(static_cast<int64_t>(bytes));
  noteAllocation(data, bytes, cpu);
  return {data, data, &HostAllocator::release, cpu};
}

c10::DeleterFnPtr HostAllocator::raw_deleter() const { return &HostAllocator::release; }

void HostAllocator::copy_data(void* target, const void* source, size_t bytes) const {
  default_copy_data(target, source, bytes);
}

void HostAllocator::count(int64_t bytes) {
  const int64_t now = allocated_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  allocations_.store(allocations_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  int64_t demand = demand_.load(std::memory_order_relaxed);
  while (now > demand && !demand_.compare_exchange_weak(demand, now, std::memory_order_relaxed)) {
  }
}

void* HostAllocator::take(size_t bytes) {
  const uint32_t sizeClass = sizeClassOf(bytes);
  const size_t blockBytes = sizeof(Block) + bytesOfClass(sizeClass);
  threadCache.refresh();
  if (sizeClass < kFineClasses) return takeSmall(bytes, sizeClass, blockBytes)->data();
  Block*& first = threadCache.lists[sizeClass];
  if (Block* block = first) {
    first = block->next;
    threadCache.bytes -= blockBytes;
    return block->data();
  }
  return takeFromSystem(bytes, blockBytes, sizeClass)->data();
}

HostAllocator::Block* HostAllocator::takeFromSystem(size_t bytes, size_t blockBytes, uint32_t sizeClass) {
  reserve(bytes, blockBytes);
  auto* block = static_cast<Block*>(takePages(blockBytes, sizeClass, alignof(Block)));
  if (block == nullptr) {
    held_ -= static_cast<int64_t>(blockBytes);
    failOutOfMemory(bytes);
  }
  block->blockBytes = blockBytes;
  block->sizeClass = sizeClass;
  return block;
}

HostAllocator::Block* HostAllocator::takeSmall(size_t bytes, uint32_t sizeClass, size_t blockBytes) {
  SmallBlocks& small = threadCache.small;
  void* block = small.take(sizeClass);
  if (block == nullptr) [[unlikely]] {
    if (!small.adopt(sizeClass)) {
      reserve(bytes, SmallBlocks::kChunkBytes);
      if (!small.addChunk(sizeClass, blockBytes)) {
        held_ -= static_cast<int64_t>(SmallBlocks::kChunkBytes);
        failOutOfMemory(bytes);
      }
    }
    block = small.take(sizeClass);
  }
  auto* header = static_cast<Block*>(block);
  header->sizeClass = sizeClass;
  return header;
}

void* HostAllocator::takeLarge(size_t bytes) {
  if (bytes > SIZE_MAX / 2) failOutOfMemory(bytes);
  const size_t granule = bytes < kMiB ? 4 * 1024 : bytes < 32 * kMiB ? 64 * 1024 : 2 * kMiB;
  const size_t blockBytes = (bytes + sizeof(Block) + granule - 1) / granule * granule;
  LargeCache& cache = largeCache();
  {
    std::lock_guard lock(cache.mutex);
    const auto found = cache.blocks.lower_bound(blockBytes);
    if (found != cache.blocks.end() && found->first <= blockBytes + blockBytes / 4) {
      auto* block = static_cast<Block*>(found->second);
      cache.bytes -= static_cast<int64_t>(found->first);
      cache.blocks.erase(found);
      return block->data();
    }
  }
  return takeFromSystem(bytes, blockBytes, kLarge)->data();
}

bool HostAllocator::mayHold(size_t blockBytes) const {
  const double high = high_.load(std::memory_order_relaxed);
  if (high == 0) return true;
  const double limit = high * static_cast<double>(recommended_.load(std::memory_order_relaxed));
  return static_cast<double>(heldBytes()) + static_cast<double>(blockBytes) <= limit;
}

/// Counts the block as held. If there is no room, empties the cache, and then asks JavaScript to free
/// tensors.
void HostAllocator::reserve(size_t bytes, size_t blockBytes) {
  if (!mayHold(blockBytes)) [[unlikely]] {
    emptyCache();
    if (!mayHold(blockBytes)) {
      if (pressure_ != nullptr) pressure_();
      emptyCache();
    }
    if (!mayHold(blockBytes)) failOutOfMemory(bytes);
  }
  const auto held = static_cast<int64_t>(blockBytes);
  recordHeldBytes(held_.fetch_add(held, std::memory_order_relaxed) + held);
}

void HostAllocator::release(void* data) {
  if (data == nullptr) return;
  // oneDNN's scratch memory may lie in a place; it comes as a bare pointer and is released here, but must not
  // be freed.
  if (placing && isPlace(data)) [[unlikely]]
    return;
  Block* block = Block::of(data);
  noteRelease(data, block->requestedBytes, c10::Device(c10::kCPU));
  HostAllocator& allocator = hostAllocator();
  allocator.allocated_.fetch_sub(static_cast<int64_t>(block->requestedBytes), std::memory_order_relaxed);
  allocator.keepOrReturn(block);
}

void HostAllocator::keepOrReturn(Block* block) {
  if (block->sizeClass < kFineClasses) {
    threadCache.small.give(block->sizeClass, block);
    return;
  }
  const double low = low_.load(std::memory_order_relaxed);
  const bool crowded =
      low != 0 && static_cast<double>(heldBytes()) >
                      low * static_cast<double>(recommended_.load(std::memory_order_relaxed));
  if (crowded || !threadCache.alive) [[unlikely]] {
    returnToSystem(block);
    return;
  }
  if (block->sizeClass != kLarge) {
    threadCache.refresh();
    if (threadCache.bytes >= kThreadBytes) {
      returnToSystem(block);
      return;
    }
    Block*& first = threadCache.lists[block->sizeClass];
    block->next = first;
    first = block;
    threadCache.bytes += block->blockBytes;
    return;
  }
  LargeCache& cache = largeCache();
  std::lock_guard lock(cache.mutex);
  // The block goes in front of others of its size, because the memory that was freed last is still in the
  // processor's caches. (A relu of 4 MiB whose result is disposed takes 0.14 to 0.19 ms with the oldest
  // first, 0.096 ms with the newest.)
  cache.blocks.emplace_hint(cache.blocks.lower_bound(block->blockBytes), block->blockBytes, block);
  cache.bytes += static_cast<int64_t>(block->blockBytes);
  const auto most =
      static_cast<int64_t>(kCacheOverPeak * static_cast<double>(demand_.load(std::memory_order_relaxed))) +
      kCacheSlackBytes;
  while (heldBytes() > most && !cache.blocks.empty()) {
    const auto smallest = cache.blocks.begin();
    cache.bytes -= static_cast<int64_t>(smallest->first);
    returnToSystem(static_cast<Block*>(smallest->second));
    cache.blocks.erase(smallest);
  }
}

void HostAllocator::returnToSystem(Block* block) {
  const auto held = static_cast<int64_t>(block->blockBytes);
  recordHeldBytes(held_.fetch_sub(held, std::memory_order_relaxed) - held);
  givePages(block, block->blockBytes, block->sizeClass);
}

int64_t HostAllocator::emptyCache() {
  const int64_t before = heldBytes();
  cacheGeneration.fetch_add(1, std::memory_order_relaxed);
  threadCache.refresh();
  LargeCache& cache = largeCache();
  {
    std::lock_guard lock(cache.mutex);
    for (const auto& [bytes, block] : cache.blocks) returnToSystem(static_cast<Block*>(block));
    cache.blocks.clear();
    cache.bytes = 0;
  }
  demand_.store(allocatedBytes(), std::memory_order_relaxed);
  trimHeap();
  return before - heldBytes();
}

void HostAllocator::failOutOfMemory(size_t bytes) const {
  const auto limit = static_cast<int64_t>(high_.load() * static_cast<double>(recommended_.load()));
  const auto wanted = static_cast<int64_t>(std::min<size_t>(bytes, INT64_MAX));
  C10_THROW_ERROR(OutOfMemoryError, "out of host memory: " + formatBytes(wanted) + " wanted, " +
                                        formatBytes(allocatedBytes()) + " held by tensors, " +
                                        formatBytes(heldBytes()) + " held from the system, " +
                                        formatBytes(limit) + " allowed.");
}

HostAllocator& hostAllocator() {
  // Never destroyed: tensors in static storage may be freed after the destructors of statics ran.
  static auto* allocator = new HostAllocator;
  return *allocator;
}

void installHostAllocator() {
  keepHeap();
  c10::SetAllocator(c10::kCPU, &hostAllocator(), /*priority=*/100);
}

}  // namespace mpslab
