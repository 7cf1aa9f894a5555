// Tells AddressSanitizer when a thread changes to another stack. It expects one stack a thread, and would
// report frames of the other as memory errors. Other builds compile to nothing here.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace mpslab::metal {

/// A stack that a thread leaves and later returns to.
struct Stack {
  const void* bottom = nullptr;
  size_t bytes = 0;
  /// The sanitizer's memory for locals that must not be used after a return. Null for a stack that begins.
  void* frames = nullptr;
};

#if defined(__SANITIZE_ADDRESS__)

/// Must be called last before the jump.
inline void leave(Stack& here, const Stack& there) {
  __sanitizer_start_switch_fiber(&here.frames, there.bottom, there.bytes);
}
/// Must be called first after the jump. Stores in `from` where the stack lies that was left.
inline void arrive(const Stack& here, Stack& from) {
  __sanitizer_finish_switch_fiber(here.frames, &from.bottom, &from.bytes);
}
/// Makes the sanitizer forget its marks of frames that were left without a return.
inline void forgetFrames(Stack& stack) {
  stack.frames = nullptr;
  __asan_unpoison_memory_region(stack.bottom, stack.bytes);
}

#else

inline void leave(Stack&, const Stack&) {}
inline void arrive(const Stack&, Stack&) {}
inline void forgetFrames(Stack&) {}

#endif

}  // namespace mpslab::metal
