// Cuts chunks into small blocks, and keeps those that the thread freed.
#include "memory/small_blocks.h"

#include <array>
#include <mutex>
#include <utility>

#include "memory/system_memory.h"

namespace mpslab {

/// The header of a chunk. A chunk's address is a multiple of its size, so a block finds its chunk by masking
/// its own address.
struct alignas(64) SmallBlocks::Chunk {
  uint32_t blocks;
  uint32_t free;
};

namespace {

/// Blocks that any thread may take over, by class.
struct Orphans {
  std::mutex mutex;
  std::array<std::pair<void*, uint32_t>, kSmallClasses> lists{};
};

Orphans& orphans() {
  // Never destroyed: threads that end after main come here.
  static auto* shared = new Orphans;
  return *shared;
}

}  // namespace

SmallBlocks::~SmallBlocks() {
  for (uint32_t sizeClass = 0; sizeClass < kSmallClasses; ++sizeClass) {
    share(sizeClass, std::exchange(lists_[sizeClass], {}));
  }
}

SmallBlocks::Chunk* SmallBlocks::chunkOf(const void* block) {
  return reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(kChunkBytes - 1));
}

void SmallBlocks::share(uint32_t sizeClass, List list) {
  if (list.first == nullptr) return;
  Free* last = list.first;
  while (last->next != nullptr) last = last->next;
  const std::lock_guard lock(orphans().mutex);
  auto& [first, count] = orphans().lists[sizeClass];
  last->next = static_cast<Free*>(first);
  first = list.first;
  count += list.count;
}

void SmallBlocks::shareHalf(uint32_t sizeClass) {
  List& list = lists_[sizeClass];
  List half{list.first, list.count / 2};
  Free* last = list.first;
  for (uint32_t i = 1; i < half.count; ++i) last = last->next;
  list.first = last->next;
  list.count -= half.count;
  last->next = nullptr;
  share(sizeClass, half);
}

bool SmallBlocks::adopt(uint32_t sizeClass) {
  const std::lock_guard lock(orphans().mutex);
  auto& [first, count] = orphans().lists[sizeClass];
  if (first == nullptr) return false;
  Free* last = static_cast<Free*>(first);
  while (last->next != nullptr) last = last->next;
  List& list = lists_[sizeClass];
  last->next = list.first;
  list.first = static_cast<Free*>(std::exchange(first, nullptr));
  list.count += std::exchange(count, 0);
  return true;
}

bool SmallBlocks::addChunk(uint32_t sizeClass, size_t blockBytes) {
  void* memory = mapPages(kChunkBytes, kChunkBytes);
  if (memory == nullptr) return false;
  auto* chunk = static_cast<Chunk*>(memory);
  chunk->blocks = static_cast<uint32_t>((kChunkBytes - sizeof(Chunk)) / blockBytes);
  auto* blocks = static_cast<char*>(memory) + sizeof(Chunk);
  List& list = lists_[sizeClass];
  for (uint32_t i = chunk->blocks; i-- > 0;) {
    auto* block = reinterpret_cast<Free*>(blocks + i * blockBytes);
    block->next = list.first;
    list.first = block;
  }
  list.count += chunk->blocks;
  return true;
}

size_t SmallBlocks::releaseChunks() {
  size_t bytes = 0;
  for (uint32_t sizeClass = 0; sizeClass < kSmallClasses; ++sizeClass) {
    adopt(sizeClass);
    bytes += releaseChunks(lists_[sizeClass]);
  }
  return bytes;
}

size_t SmallBlocks::releaseChunks(List& list) {
  for (Free* block = list.first; block != nullptr; block = block->next) chunkOf(block)->free = 0;
  for (Free* block = list.first; block != nullptr; block = block->next) ++chunkOf(block)->free;
  // Take every block of a free chunk out of the list before unmapping any chunk, because the list runs
  // through the chunks.
  List kept;
  List released;
  for (Free* block = list.first; block != nullptr;) {
    Free* next = block->next;
    Chunk* chunk = chunkOf(block);
    List& target = chunk->free == chunk->blocks ? released : kept;
    block->next = target.first;
    target.first = block;
    ++target.count;
    block = next;
  }
  list = kept;
  size_t bytes = 0;
  for (Free* block = released.first; block != nullptr;) {
    Free* next = block->next;
    Chunk* chunk = chunkOf(block);
    // The last block of a chunk that the list meets takes the chunk with it.
    if (--chunk->free == 0) {
      unmapPages(chunk, kChunkBytes);
      bytes += kChunkBytes;
    }
    block = next;
  }
  return bytes;
}

}  // namespace mpslab
