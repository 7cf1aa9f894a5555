// The native half of a tensor wrapper, and the pool that allocates these handles. The pool's addresses also
// tell a tensor from a foreign object: another addon's pointer lies in no chunk of this pool. (Type tags
// would cost a BigInt and a second private property for each wrapper.)
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace mpslab {

struct Environment;

/// A place in a doubly linked ring: a handle in its tidy scope, or the scope itself.
struct Link {
  Link* next = this;
  Link* previous = this;

  void unlink() {
    next->previous = previous;
    previous->next = next;
    next = previous = this;
  }
  void insertBefore(Link& place) {
    next = &place;
    previous = place.previous;
    previous->next = this;
    place.previous = this;
  }
};

struct Handle : Link {
  enum class State : uint8_t { Free, Live, Disposed };

  at::Tensor tensor;
  Environment* environment = nullptr;
  /// Index into `Environment::origins`.
  uint32_t origin = 0;
  /// Its number in the pool, from 1 on; wrappers keep it.
  uint32_t number = 0;
  /// Depth of the tidy scope that it belongs to, 0 for none.
  uint32_t scope = 0;
  State state = State::Free;
  /// Whether `Environment::gradients` knows it.
  bool isGradient = false;
  /// Whether the handle may stand for another tensor once its own is disposed. True if only JavaScript's slot
  /// refers to it (`lib/torch/engine/wrapper.ts`).
  bool reusable = false;
};

/// Handles of one environment. Used on that environment's thread only, finalizers included.
class HandlePool {
 public:
  HandlePool() = default;
  ~HandlePool();
  HandlePool(const HandlePool&) = delete;
  HandlePool& operator=(const HandlePool&) = delete;

  Handle* acquire() {
    if (free_ == nullptr) addChunk();
    Handle* handle = free_;
    free_ = static_cast<Handle*>(handle->next);
    handle->next = handle;
    ++live_;
    return handle;
  }

  void release(Handle* handle) {
    handle->state = Handle::State::Free;
    handle->reusable = false;
    handle->next = free_;
    free_ = handle;
    --live_;
  }

  /// Whether a pointer that some object carries is one of these handles.
  bool contains(const void* pointer) const {
    const auto chunk = reinterpret_cast<uintptr_t>(pointer) & ~(kChunkBytes - 1);
    return chunk == recent_ ? chunk != 0 : containsChunk(chunk);
  }

  /// The handle with this number; nullptr if no wrapper has it.
  Handle* at(double number) const {
    if (!(number >= 1 && number <= static_cast<double>(numbered_.size() * kHandlesPerChunk))) return nullptr;
    const auto index = static_cast<size_t>(number) - 1;
    Handle* handle = &numbered_[index / kHandlesPerChunk][index % kHandlesPerChunk];
    return handle->state == Handle::State::Free ? nullptr : handle;
  }

  int64_t live() const { return live_; }

  template <typename Visit>
  void forEachLive(Visit visit) {
    for (const uintptr_t chunk : chunks_) {
      auto* handles = reinterpret_cast<Handle*>(chunk);
      for (size_t i = 0; i < kHandlesPerChunk; ++i) {
        if (handles[i].state == Handle::State::Live) visit(handles[i]);
      }
    }
  }

 private:
  static constexpr uintptr_t kChunkBytes = 64 * 1024;
  static constexpr size_t kHandlesPerChunk = kChunkBytes / sizeof(Handle);

  void addChunk();
  bool containsChunk(uintptr_t chunk) const;

  Handle* free_ = nullptr;
  int64_t live_ = 0;
  /// Sorted addresses, multiples of kChunkBytes.
  std::vector<uintptr_t> chunks_;
  mutable uintptr_t recent_ = 0;
  /// The chunks in the order of their numbers.
  std::vector<Handle*> numbered_;
};

}  // namespace mpslab
