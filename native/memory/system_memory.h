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
/// Zeroed pages that are huge where the system has such: a first touch costs a fault for each 2 MiB instead
/// of for each 4 KiB. `alignment`: at least that of a huge page.
void* mapHugePages(size_t bytes, size_t alignment);
/// Takes the memory of the huge pages that lie wholly inside, not their addresses: on Linux zeroed when
/// touched again, on macOS perhaps as it was.
void releaseHugePages(void* start, size_t bytes);
/// Before released pages are used again; of pages that were not released it may hold some too.
void retakeHugePages(void* start, size_t bytes);
void unmapPages(void* pages, size_t bytes);

/// Keeps freed parts of the C heap until `trimHeap`: a collection frees thousands of tensors at once, and the
/// heap would give its end back each time, only to fault it in again.
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
