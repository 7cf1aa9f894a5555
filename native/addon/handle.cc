// Allocates the chunks of the handle pool, and searches them.
#include "addon/handle.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace mpslab {

HandlePool::~HandlePool() {
  for (const uintptr_t chunk : chunks_) {
    auto* handles = reinterpret_cast<Handle*>(chunk);
    std::destroy_n(handles, kHandlesPerChunk);
    std::free(handles);
  }
}

void HandlePool::addChunk() {
  void* memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
  if (memory == nullptr) throw std::bad_alloc();
  auto* handles = static_cast<Handle*>(memory);
  for (size_t i = kHandlesPerChunk; i-- > 0;) {
    auto* handle = new (&handles[i]) Handle;
    handle->number = static_cast<uint32_t>(numbered_.size() * kHandlesPerChunk + i + 1);
    handle->next = free_;
    free_ = handle;
  }
  numbered_.push_back(handles);
  const auto chunk = reinterpret_cast<uintptr_t>(memory);
  chunks_.insert(std::upper_bound(chunks_.begin(), chunks_.end(), chunk), chunk);
}

bool HandlePool::containsChunk(uintptr_t chunk) const {
  if (!std::binary_search(chunks_.begin(), chunks_.end(), chunk)) return false;
  recent_ = chunk;
  return true;
}

}  // namespace mpslab
