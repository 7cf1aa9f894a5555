// Keeps the free small blocks of one thread, cut from chunks of its own. A small tensor costs no lock and no
// call of the C library, whose free() takes longer to join neighbours than the operator takes to add.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mpslab {

/// Blocks come in classes of equal size, at most this many.
constexpr uint32_t kSmallClasses = 16;

class SmallBlocks {
 public:
  static constexpr size_t kChunkBytes = 256 * 1024;

  ~SmallBlocks();

  /// Returns a block of the class. If it returns nullptr, call `addChunk` and then `take` again.
  void* take(uint32_t sizeClass) {
    List& list = lists_[sizeClass];
    Free* block = list.first;
    if (block == nullptr) return nullptr;
    list.first = block->next;
    --list.count;
    return block;
  }

  /// Takes a block back; any thread may have taken it.
  void give(uint32_t sizeClass, void* data) {
    List& list = lists_[sizeClass];
    auto* block = static_cast<Free*>(data);
    block->next = list.first;
    list.first = block;
    if (++list.count > kMostBlocks) shareHalf(sizeClass);
  }

  /// Takes over blocks of threads that ended, or that free more blocks than they take. Returns false if there
  /// are none.
  bool adopt(uint32_t sizeClass);

  /// Cuts a chunk into blocks. False where the system has no memory.
  bool addChunk(uint32_t sizeClass, size_t blockBytes);

  /// Unmaps the chunks whose blocks are all free in this thread. Returns their bytes.
  size_t releaseChunks();

 private:
  struct Free {
    Free* next;
  };
  struct List {
    Free* first = nullptr;
    uint32_t count = 0;
  };
  struct Chunk;
  static constexpr uint32_t kMostBlocks = 1 << 18;

  static Chunk* chunkOf(const void* block);
  void shareHalf(uint32_t sizeClass);
  static void share(uint32_t sizeClass, List list);
  size_t releaseChunks(List& list);

  List lists_[kSmallClasses];
};

}  // namespace mpslab
