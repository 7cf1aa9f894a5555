// Maps pages and reads memory sizes, on Linux and macOS.
#include "memory/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#ifdef __GLIBC__
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

namespace mpslab {
namespace {

constexpr size_t kHugePage = 2 * 1024 * 1024;

/// The container's limit, where there is one.
int64_t containerBytes() {
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    int64_t bytes = 0;
    if (file >> bytes && bytes > 0) return bytes;
  }
  return INT64_MAX;
}

}  // namespace

void* mapPages(size_t bytes, size_t alignment) {
  const size_t mapped = bytes + alignment;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
  const uintptr_t end = aligned + bytes;
  if (aligned > start) munmap(memory, aligned - start);
  if (start + mapped > end) munmap(reinterpret_cast<void*>(end), start + mapped - end);
  return reinterpret_cast<void*>(aligned);
}

void* mapHugePages(size_t bytes, size_t alignment) {
  void* memory = mapPages(bytes, alignment);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void* mapPages(size_t bytes) {
  if (bytes >= kHugePage) return mapHugePages(bytes, kHugePage);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

#ifdef MADV_FREE_REUSABLE
// macOS leaves pages resident after MADV_DONTNEED, and counts them as this process's after MADV_FREE. Its own
// pair of calls takes them out of the count and puts them in again; it has no huge pages to ask for.
void releaseHugePages(void* start, size_t bytes) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1;
  const uintptr_t from = (reinterpret_cast<uintptr_t>(start) + page) & ~page;
  const uintptr_t to = (reinterpret_cast<uintptr_t>(start) + bytes) & ~page;
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_FREE_REUSABLE);
}

void retakeHugePages(void* start, size_t bytes) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1;
  const uintptr_t from = reinterpret_cast<uintptr_t>(start) & ~page;
  const uintptr_t to = (reinterpret_cast<uintptr_t>(start) + bytes + page) & ~page;
  madvise(reinterpret_cast<void*>(from), to - from, MADV_FREE_REUSE);
}
#else
void releaseHugePages(void* start, size_t bytes) {
  const auto from = (reinterpret_cast<uintptr_t>(start) + kHugePage - 1) & ~(kHugePage - 1);
  const auto to = (reinterpret_cast<uintptr_t>(start) + bytes) & ~(kHugePage - 1);
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

void retakeHugePages(void* /*start*/, size_t /*bytes*/) {}
#endif

void unmapPages(void* pages, size_t bytes) { munmap(pages, bytes); }

void keepHeap() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
  mallopt(M_TOP_PAD, 4 * 1024 * 1024);
  // Setting any of these options turns off glibc's automatic growth of this threshold, 128 KiB at first; then
  // each larger block would be mapped and unmapped.
  mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
#endif
}

void trimHeap() {
#ifdef __GLIBC__
  malloc_trim(0);
#elif defined(__APPLE__)
  malloc_zone_pressure_relief(nullptr, 0);
#endif
}

int64_t recommendedHostBytes() {
  const int64_t machine = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return std::min(machine, containerBytes()) / 4 * 3;
}

int64_t freeHostBytes() {
  const int64_t container = containerBytes();
  int64_t used = 0;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  const int64_t left = container == INT64_MAX ? container : std::max<int64_t>(container - used, 0);
  std::ifstream machine("/proc/meminfo");
  std::string name;
  int64_t kibibytes = 0;
  for (std::string unit; machine >> name >> kibibytes; std::getline(machine, unit)) {
    if (name == "MemAvailable:") return std::min(left, kibibytes * 1024);
  }
  return std::min(left, recommendedHostBytes());
}

std::string formatBytes(int64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return text;
}

}  // namespace mpslab
