// Maps and frees pages of the operating system, and reads how much memory the machine has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace mpslab {

/// Zeroed pages at a multiple of `alignment` (a power of two), nullptr where the system has none.
void* mapPages(size_t bytes, size_t alignment);
/// Zeroed pages, huge ones where the block is large enough.
void* mapPages(size_t bytes);
/// Zeroed pages that are huge if the system has huge pages: touching them faults once for each 2 MiB instead
/// of once for each 4 KiB. `alignment` is at least that of a huge page.
void* mapHugePages(size_t bytes, size_t alignment);
/// Releases the memory, but not the addresses, of the huge pages that lie wholly inside the range. When
/// touched again, the pages are zeroed on Linux, and may be unchanged on macOS.
void releaseHugePages(void* start, size_t bytes);
/// Must be called before released pages are used again. The range may also hold pages that were not released.
void retakeHugePages(void* start, size_t bytes);
void unmapPages(void* pages, size_t bytes);

/// Makes the C heap keep freed memory until `trimHeap`. One collection frees thousands of tensors; the heap
/// would return its end to the system each time, only to fault it in again.
void keepHeap();
/// Gives free parts of the C heap back to the system.
void trimHeap();

/// Three quarters of the memory that this process may use: the machine's, or its container's.
int64_t recommendedHostBytes();

/// Memory that this process may still take before the system has to find some: the machine's, or its
/// container's.
int64_t freeHostBytes();

/// `1.5 GiB`, `300 B`.
std::string formatBytes(int64_t bytes);

}  // namespace mpslab
