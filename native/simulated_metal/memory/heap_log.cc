// Formats the allocator's log lines. Each says that the device is simulated.
#include "simulated_metal/memory/heap_log.h"

#include <c10/util/Logging.h>

#include <cstdio>

#include "simulated_metal/memory/heaps.h"

namespace mpslab::metal {
namespace {

constexpr long kLimits = 1, kAllocations = 2, kReuse = 4, kReleases = 8, kLargeOnly = 16;
constexpr const char* kWho = "simulated Metal: ";

}  // namespace

bool HeapLog::tells(long bit, const Block& block) const {
  return (bits_ & bit) != 0 && ((bits_ & kLargeOnly) == 0 || !block.heap->pool->small);
}

void HeapLog::limits(const char* watermark, size_t bytes) const {
  if ((bits_ & kLimits) == 0) return;
  LOG(INFO) << kWho << watermark << " watermark memory allocation limit: "
            << (bytes == Heaps::kUnlimited ? "unlimited" : formatMetalBytes(bytes));
}

void HeapLog::recommends(size_t bytes) const {
  if ((bits_ & kLimits) == 0) return;
  LOG(INFO) << kWho << "Initializing heap allocator on unified device memory of size "
            << formatMetalBytes(bytes);
}

void HeapLog::allocates(const Heap& heap, size_t heldBytes) const {
  if ((bits_ & kAllocations) == 0) return;
  LOG(INFO) << kWho << "Allocated shared heap #" << heap.number << " of size "
            << formatMetalBytes(heap.totalBytes) << " (#heaps: " << heap.pool->heaps.size()
            << ", current allocated: " << formatMetalBytes(heldBytes) << ")";
}

void HeapLog::allocates(const Block& block, size_t heldBytes) const {
  if (!tells(kAllocations, block)) return;
  LOG(INFO) << kWho << "Allocated shared buffer #" << block.buffer << " of size "
            << formatMetalBytes(block.bytes) << " from heap #" << block.heap->number
            << " (offset: " << formatMetalBytes(block.offset)
            << ", heap free: " << formatMetalBytes(block.heap->freeBytes)
            << ", total: " << formatMetalBytes(heldBytes) << ")";
}

void HeapLog::reuses(const Block& block, size_t requestedBytes) const {
  if (!tells(kReuse, block)) return;
  LOG(INFO) << kWho << "Reusing shared buffer #" << block.buffer << " of size "
            << formatMetalBytes(block.bytes) << " (requested: " << formatMetalBytes(requestedBytes)
            << ", use#: " << block.uses + 1 << ")";
}

void HeapLog::releases(const Block& block) const {
  if (!tells(kReleases, block)) return;
  LOG(INFO) << kWho << "Released buffer of size " << formatMetalBytes(block.bytes) << " from heap #"
            << block.heap->number << " (use#: " << block.uses << ")";
}

void HeapLog::releases(const Heap& heap, size_t heldBytes) const {
  if ((bits_ & kReleases) == 0) return;
  LOG(INFO) << kWho << "Released heap #" << heap.number << " of size " << formatMetalBytes(heap.totalBytes)
            << " (current allocated: " << formatMetalBytes(heldBytes) << ")";
}

void HeapLog::collects(size_t releasedBytes, size_t targetBytes, size_t heaps) const {
  if ((bits_ & kReleases) == 0) return;
  LOG(INFO) << kWho << "Garbage collected " << formatMetalBytes(releasedBytes)
            << " from shared pool (target: " << formatMetalBytes(targetBytes) << ", #heaps: " << heaps << ")";
}

void HeapLog::releasesEverything(size_t heldBytes) const {
  if (bits_ == 0) return;
  LOG(INFO) << kWho << "Attempting to release cached buffers (MPS allocated: " << formatMetalBytes(heldBytes)
            << ", other allocations: 0 bytes)";
}

std::string formatMetalBytes(size_t bytes) {
  constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
  const auto in = [&](size_t unit, const char* name) {
    char text[48];
    std::snprintf(text, sizeof text, "%.2f %s", static_cast<double>(bytes) / static_cast<double>(unit), name);
    return std::string(text);
  };
  if (bytes <= kKiB) return std::to_string(bytes) + " bytes";
  if (bytes <= kMiB) return in(kKiB, "KiB");
  return bytes <= kGiB ? in(kMiB, "MiB") : in(kGiB, "GiB");
}

}  // namespace mpslab::metal
