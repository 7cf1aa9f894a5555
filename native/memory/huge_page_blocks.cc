// Places blocks first fit by address. Long-lived blocks settle at the front, so regions at the end become
// free.
#include "memory/huge_page_blocks.h"

#include <algorithm>
#include <cstdint>

#include "memory/system_memory.h"

namespace mpslab {
namespace {

/// Address space of a region, and its alignment. The system gives it memory as it is touched, 2 MiB at a
/// time.
constexpr size_t kRegionBytes = size_t{32} * 1024 * 1024;

bool startsRegion(const char* address) {
  return (reinterpret_cast<uintptr_t>(address) & (kRegionBytes - 1)) == 0;
}

}  // namespace

void* HugePageBlocks::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto range = std::ranges::find_if(free_, [bytes](const auto& entry) { return entry.second >= bytes; });
  if (range == free_.end()) {
    auto* region = static_cast<char*>(mapHugePages(kRegionBytes, kRegionBytes));
    if (region == nullptr) return nullptr;
    range = free_.emplace(region, kRegionBytes).first;
  }
  const auto [start, rangeBytes] = *range;
  free_.erase(range);
  if (rangeBytes > bytes) free_.emplace(start + bytes, rangeBytes - bytes);
  retakeHugePages(start, bytes);
  return start;
}

void HugePageBlocks::give(void* block, size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* start = static_cast<char*>(block);
  char* end = start + bytes;
  auto after = free_.lower_bound(start);
  if (after != free_.end() && after->first == end && !startsRegion(end)) {
    end += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin() && !startsRegion(start)) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      start = before->first;
      free_.erase(before);
    }
  }
  const auto rangeBytes = static_cast<size_t>(end - start);
  if (rangeBytes == kRegionBytes) {
    unmapPages(start, kRegionBytes);
    return;
  }
  free_.emplace(start, rangeBytes);
  releaseHugePages(start, rangeBytes);
}

}  // namespace mpslab
