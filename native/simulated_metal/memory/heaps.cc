// The allocator's rules. Sources in PyTorch: the constants, tiers, `min_split` and the meaning of each step
// in ATen/mps/MPSAllocator.h of 2.15; the order of the steps in alloc_buffer_block of MPSAllocator.mm. Ours
// are the buffer alignment (heapBufferSizeAndAlign of Apple's GPUs) and the memory itself, mapped pages of
// the host.
#include "simulated_metal/memory/heaps.h"

#include <c10/util/Exception.h>

#include <bit>

#include "memory/system_memory.h"

namespace mpslab::metal {
namespace {

constexpr size_t kMiB = 1024 * 1024;
constexpr size_t kMaxSmallBytes = kMiB;
constexpr size_t kMinLargeBytes = 10 * kMiB;
constexpr size_t kRoundLargeBytes = 2 * kMiB;
constexpr size_t kSmallHeapBytes = 8 * kMiB;
constexpr size_t kLargeHeapBytes = 32 * kMiB;
constexpr size_t kExtraLargeHeapBytes = 1024 * kMiB;
constexpr size_t kAlignment = 256;
constexpr size_t kStepsToDouble = 32;

size_t roundUp(size_t bytes, size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

enum class Tier { Small, Large, ExtraLarge, Oversize };

/// getHeapTier
Tier tierOf(size_t bytes, bool pressed) {
  if (bytes <= kMaxSmallBytes) return Tier::Small;
  if (bytes < kMinLargeBytes) return Tier::Large;
  if (bytes < kExtraLargeHeapBytes / 2 && !pressed) return Tier::ExtraLarge;
  return Tier::Oversize;
}

size_t heapBytesFor(size_t bytes, bool pressed) {
  switch (tierOf(bytes, pressed)) {
    case Tier::Small:
      return kSmallHeapBytes;
    case Tier::Large:
      return kLargeHeapBytes;
    case Tier::ExtraLarge:
      return kExtraLargeHeapBytes;
    default:
      return roundUp(bytes, kRoundLargeBytes);
  }
}

}  // namespace

std::byte* Block::data() const { return heap->memory + offset; }

bool SmallerBlock::operator()(const Block* a, const Block* b) const {
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  // A search key has no heap, so it sorts before every block of its size.
  const uint64_t heapOfA = a->heap == nullptr ? 0 : a->heap->number;
  const uint64_t heapOfB = b->heap == nullptr ? 0 : b->heap->number;
  return heapOfA != heapOfB ? heapOfA < heapOfB : a->offset < b->offset;
}

bool OlderHeap::operator()(const Heap* a, const Heap* b) const { return a->number < b->number; }

Heaps::Heaps(const Limits& limits, HeapLog log)
    : limits_(limits),
      log_(log),
      pools_{Pool{true, kAlignment, 0, {}, {}}, Pool{false, kMaxSmallBytes, 0, {}, {}}} {}

Heaps::~Heaps() {
  for (Pool& pool : pools_) {
    while (!pool.heaps.empty()) release(*pool.heaps.begin());
  }
}

/// get_allocation_size: a tensor that grows a little each time then fits the buffer of its predecessor. Never
/// into another tier, nor past the largest buffer. (PyTorch's step is at least a page of 16 KiB: beyond 1 MiB
/// each is.)
size_t Heaps::roundedBytes(size_t bytes) const {
  const size_t aligned = roundUp(bytes, kAlignment);
  if (aligned <= kMaxSmallBytes) return aligned;
  const size_t stepped = roundUp(aligned, std::bit_floor(aligned) / kStepsToDouble);
  return stepped < limits_.bufferBytes && tierOf(stepped, false) == tierOf(aligned, false) ? stepped
                                                                                           : aligned;
}

Pool& Heaps::poolOf(size_t roundedBytes) { return pools_[roundedBytes <= kMaxSmallBytes ? 0 : 1]; }

bool Heaps::mayHold(size_t bytes) const {
  return limits_.highBytes == kUnlimited || heldBytes_ + bytes <= limits_.highBytes;
}

/// alloc_buffer_block. PyTorch's last step, for buffers that running work still holds, is not needed:
/// whatever releases heaps here waits for the device first.
Block* Heaps::take(size_t bytes) {
  TORCH_CHECK(bytes < limits_.bufferBytes, "Invalid buffer size: ", formatMetalBytes(bytes));
  const size_t rounded = roundedBytes(bytes);
  Pool& pool = poolOf(rounded);
  const bool pressed = !pool.small && limits_.lowBytes != kUnlimited && heldBytes_ + kMiB > limits_.lowBytes;
  const Request request{bytes, rounded, pool, pressed};
  Block* block = reuse(request);
  if (block == nullptr) {
    if (pressed && rounded < pool.freeBytes) collectGarbage(pool);
    block = fromNewHeap(request);
  }
  if (block == nullptr && allocationFailed_) {
    allocationFailed_();
    block = reuse(request);
  }
  if (block == nullptr && releaseFreeHeaps(pool, rounded) > 0) block = fromNewHeap(request);
  if (block == nullptr) {
    log_.releasesEverything(heldBytes_);
    releaseFreeHeaps();
    block = reuse(request);
    if (block == nullptr) block = fromNewHeap(request);
  }
  if (block == nullptr) failOutOfMemory(rounded);
  block->requestedBytes = bytes;
  block->inUse = true;
  ++block->uses;
  allocatedBytes_ += block->bytes;
  return block;
}

void Heaps::give(Block* block) {
  Heap& heap = *block->heap;
  block->inUse = false;
  block->requestedBytes = 0;
  allocatedBytes_ -= block->bytes;
  heap.freeBytes += block->bytes;
  heap.longestRunBytes = heap.freeBytes;
  heap.pool->freeBytes += block->bytes;
  heap.pool->freeBlocks.insert(block);
}

/// get_free_buffer: takes the smallest free block with a buffer that would leave nothing to split off;
/// otherwise the smallest block that is large enough; otherwise a run of adjacent blocks.
Block* Heaps::reuse(const Request& request) {
  if (!mayHold(request.bytes)) return nullptr;
  Pool& pool = request.pool;
  Block key{request.bytes};
  const auto large = pool.freeBlocks.lower_bound(&key);
  const auto wouldSplit = [&](const Block* block) {
    return block->bytes - request.bytes >= pool.minSplitBytes;
  };
  auto found = large;
  while (found != pool.freeBlocks.end() && (*found)->buffer == 0 && !wouldSplit(*found)) ++found;
  if (found == pool.freeBlocks.end() || wouldSplit(*found)) found = large;
  Block* const block =
      found == pool.freeBlocks.end() ? coalesce(request) : split(pool, *found, request.bytes);
  if (block != nullptr) log_.reuses(*block, request.requestedBytes);
  return block;
}

/// coalesce_free_blocks: free blocks are merged only when a request needs it.
Block* Heaps::coalesce(const Request& request) {
  Pool& pool = request.pool;
  for (Heap* heap : pool.heaps) {
    if (heap->longestRunBytes < request.bytes) continue;
    size_t longest = 0;
    for (Block* first = heap->first; first != nullptr; first = first->next) {
      if (first->inUse) continue;
      size_t run = first->bytes;
      Block* end = first->next;
      for (; end != nullptr && !end->inUse && run < request.bytes; end = end->next) run += end->bytes;
      longest = std::max(longest, run);
      if (run < request.bytes) continue;
      if (first->next == end) return split(pool, first, request.bytes);
      pool.freeBlocks.erase(first);
      displace(first);
      while (first->next != end) {
        Block* merged = first->next;
        pool.freeBlocks.erase(merged);
        displace(merged);
        first->next = merged->next;
        delete merged;
      }
      first->bytes = run;
      pool.freeBlocks.insert(first);
      return split(pool, first, request.bytes);
    }
    heap->longestRunBytes = longest;
  }
  return nullptr;
}

/// split_free_block: a remainder too small for any request stays with the block.
Block* Heaps::split(Pool& pool, Block* block, size_t bytes) {
  pool.freeBlocks.erase(block);
  const size_t rest = block->bytes - bytes;
  if (rest >= pool.minSplitBytes) {
    displace(block);
    auto* remainder = new Block{rest, 0, block->offset + bytes, block->heap, block->next};
    block->next = remainder;
    block->bytes = bytes;
    pool.freeBlocks.insert(remainder);
  }
  pool.freeBytes -= block->bytes;
  block->heap->freeBytes -= block->bytes;
  if (block->buffer == 0) place(block);
  return block;
}

/// create_block_buffer
void Heaps::place(Block* block) {
  block->buffer = ++lastBuffer_;
  log_.allocates(*block, heldBytes_);
}

/// release_block_buffer
void Heaps::displace(Block* block) {
  if (block->buffer == 0) return;
  block->buffer = 0;
  block->host = c10::Storage();
  log_.releases(*block);
}

/// alloc_heap. The watermark is compared with the request, not with the heap that it needs.
Block* Heaps::fromNewHeap(const Request& request) {
  if (!mayHold(request.bytes)) return nullptr;
  const size_t total = heapBytesFor(request.bytes, request.pressed);
  auto* memory = static_cast<std::byte*>(mapPages(total));
  if (memory == nullptr) return nullptr;
  Pool& pool = request.pool;
  auto* heap = new Heap{&pool, ++lastHeap_, memory, total, total, total, nullptr};
  heap->first = new Block{total, 0, 0, heap};
  pool.heaps.insert(heap);
  pool.freeBlocks.insert(heap->first);
  pool.freeBytes += total;
  heldBytes_ += total;
  log_.allocates(*heap, heldBytes_);
  return split(pool, heap->first, request.bytes);
}

/// garbage_collect_cached_buffers: releases down to the low watermark, if that much can be released.
void Heaps::collectGarbage(Pool& pool) {
  if (heldBytes_ < limits_.lowBytes) return;
  const size_t target = heldBytes_ - limits_.lowBytes;
  log_.collects(releaseFreeHeaps(pool, target), target, pool.heaps.size());
}

/// release_free_heaps: the oldest first, until enough is given back.
size_t Heaps::releaseFreeHeaps(Pool& pool, size_t targetBytes) {
  size_t released = 0;
  for (auto it = pool.heaps.begin(); it != pool.heaps.end() && released < targetBytes;) {
    Heap* heap = *it++;
    if (heap->freeBytes != heap->totalBytes) continue;
    released += heap->totalBytes;
    release(heap);
  }
  return released;
}

void Heaps::releaseFreeHeaps() {
  for (Pool& pool : pools_) releaseFreeHeaps(pool, SIZE_MAX);
}

void Heaps::release(Heap* heap) {
  if (beforeRelease_) beforeRelease_();
  Pool& pool = *heap->pool;
  pool.heaps.erase(heap);
  pool.freeBytes -= heap->freeBytes;
  heldBytes_ -= heap->totalBytes;
  for (Block* block = heap->first; block != nullptr;) {
    Block* next = block->next;
    pool.freeBlocks.erase(block);
    displace(block);
    delete block;
    block = next;
  }
  unmapPages(heap->memory, heap->totalBytes);
  log_.releases(*heap, heldBytes_);
  delete heap;
}

/// The text is that of alloc_buffer_block. Metal's own heaps ("other allocations") do not exist here.
void Heaps::failOutOfMemory(size_t bytes) const {
  const std::string held = formatMetalBytes(heldBytes_);
  if (limits_.highRatio == 0) {
    TORCH_CHECK(false, "MPS backend out of memory (MPS allocated: ", held,
                ", other allocations: 0 bytes). Tried to allocate ", formatMetalBytes(bytes),
                " on shared pool.");
  }
  TORCH_CHECK(false, "MPS backend out of memory (MPS allocated: ", held,
              ", other allocations: 0 bytes, max allowed: ", formatMetalBytes(limits_.highBytes),
              "). Tried to allocate ", formatMetalBytes(bytes),
              " on shared pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory "
              "allocations (may cause system failure).");
}

}  // namespace mpslab::metal
