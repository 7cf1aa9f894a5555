// Writes the log lines that `PYTORCH_DEBUG_MPS_ALLOCATOR` asks for. libtorch's log shows them with
// `TORCH_CPP_LOG_LEVEL=INFO`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace mpslab::metal {

struct Block;
struct Heap;

/// The texts are those of MPSAllocator.mm, without the retain counts of Metal's objects. `heldBytes`: of all
/// heaps.
class HeapLog {
 public:
  /// The bits of DebugVerbosity: 1 logs limits, 2 allocations, 4 reuse, 8 releases; 16 restricts the log of
  /// buffers to large ones.
  explicit HeapLog(long bits = 0) : bits_(bits) {}

  void limits(const char* watermark, size_t bytes) const;
  void recommends(size_t bytes) const;
  void allocates(const Heap& heap, size_t heldBytes) const;
  void allocates(const Block& block, size_t heldBytes) const;
  void reuses(const Block& block, size_t requestedBytes) const;
  void releases(const Block& block) const;
  void releases(const Heap& heap, size_t heldBytes) const;
  void collects(size_t releasedBytes, size_t targetBytes, size_t heaps) const;
  void releasesEverything(size_t heldBytes) const;

 private:
  bool tells(long bit, const Block& block) const;

  long bits_;
};

/// `1.50 GiB`, as MPSHeapAllocatorImpl::format_size writes it.
std::string formatMetalBytes(size_t bytes);

}  // namespace mpslab::metal
