// The interface between a compiled Metal source and the addon: the kernels that the source exports, and what
// the addon does for a thread that waits or fails. Both include it, and any change of it renames every cached
// library.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mpslab_shader {

struct Size3 {
  uint32_t x, y, z;
};

/// A kernel's argument at one index. It is either a tensor's memory, from its first element to the end of its
/// storage, or the bytes of a constant.
struct Buffer {
  char* data;
  const char* begin;
  const char* end;
};

/// One threadgroup of a dispatch.
struct Group {
  Size3 position;
  /// Size of the grid, in groups and in threads.
  Size3 groups, grid;
  /// The number of threads in this group, which may be smaller at the edge of the grid, and in a whole group.
  Size3 size, wholeSize;
  const Buffer* buffers;
  /// The running thread, if threads run one after the other. For messages.
  uint32_t current;
};

/// The threads of a SIMD-group, which run in step; 32 on Apple's GPUs.
constexpr uint32_t kSimdWidth = 32;

/// The values that the lanes of a SIMD-group brought to an exchange.
struct Exchanged {
  const char* values;
  uint32_t lane;
  /// A bit for each lane that takes part.
  uint32_t active;
};

/// Functions of the addon that a kernel's thread calls.
struct Runtime {
  void (*barrier)(int line);
  void (*simdBarrier)(int line);
  /// Gives each lane of a SIMD-group the values of all lanes. They are valid until the thread's next exchange
  /// or barrier.
  Exchanged (*exchange)(const void* value, size_t bytes, int line);
  /// Throws: the thread was about to use the element at `address` of the buffer from `begin` to `end`.
  void (*outOfBounds)(const void* address, const void* begin, const void* end, size_t elementBytes);
};

struct Kernel {
  const char* name;
  /// Runs all threads of a group, one after the other.
  void (*runGroup)(Group&);
  /// One thread, by its index in the group.
  void (*runThread)(Group&, uint32_t thread);
  /// Whether threads wait for each other, so that they must take turns.
  bool interleaves;
  uint32_t maxThreads;
  size_t (*threadgroupBytes)();
  uint32_t buffers;
  const char* const* bufferNames;
};

/// The type of a library's export `mpslab_shader_library`.
struct Library {
  const Runtime** runtime;
  const Kernel* kernels;
  size_t count;
};

}  // namespace mpslab_shader
