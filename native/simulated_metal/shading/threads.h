// Calls a kernel for each thread of a group. Also has what threads do together: barriers and SIMD-group
// functions.
#pragma once
#include "abi.h"
#include "pointers.h"
#include "vectors.h"

namespace metal {

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<int>(a) | static_cast<int>(b));
}

inline void threadgroup_barrier(mem_flags, int line = __builtin_LINE()) {
  mpslab_shader::runtime->barrier(line);
}
inline void simdgroup_barrier(mem_flags, int line = __builtin_LINE()) {
  mpslab_shader::runtime->simdBarrier(line);
}

/// Combines the values of the SIMD-group's active lanes with `fold`.
template <class T, class Fold>
T simdFold(T value, Fold fold, int line) {
  const auto all = mpslab_shader::runtime->exchange(&value, sizeof value, line);
  bool first = true;
  T folded = value;
  for (uint32_t lane = 0; lane < mpslab_shader::kSimdWidth; ++lane) {
    if ((all.active >> lane & 1) == 0) continue;
    T other;
    std::memcpy(&other, all.values + lane * sizeof(T), sizeof other);
    folded = first ? other : static_cast<T>(fold(folded, other));
    first = false;
  }
  return folded;
}
/// Returns the value of another lane; the caller's own value if that lane does not take part.
template <class T>
T simdFrom(T value, uint32_t lane, int line) {
  const auto all = mpslab_shader::runtime->exchange(&value, sizeof value, line);
  if (lane < mpslab_shader::kSimdWidth && (all.active >> lane & 1) != 0)
    std::memcpy(&value, all.values + lane * sizeof(T), sizeof value);
  return value;
}
inline uint32_t simdLane(int line) { return mpslab_shader::runtime->exchange(&line, sizeof line, line).lane; }

#define MPSLAB_FOLD(name, expression)                                  \
  template <class T>                                                   \
  T simd_##name(T value, int line = __builtin_LINE()) {                \
    return simdFold(value, [](T a, T b) { return expression; }, line); \
  }
MPSLAB_FOLD(sum, a + b)
MPSLAB_FOLD(product, a* b)
MPSLAB_FOLD(max, a < b ? b : a)
MPSLAB_FOLD(min, b < a ? b : a)
MPSLAB_FOLD(and, a& b)
MPSLAB_FOLD(or, a | b)
MPSLAB_FOLD(xor, a ^ b)
#undef MPSLAB_FOLD
inline bool simd_any(bool value, int line = __builtin_LINE()) {
  return simd_or(static_cast<int>(value), line) != 0;
}
inline bool simd_all(bool value, int line = __builtin_LINE()) {
  return simd_and(static_cast<int>(value), line) != 0;
}
template <class T>
T simd_broadcast(T value, ushort lane, int line = __builtin_LINE()) {
  return simdFrom(value, lane, line);
}
template <class T>
T simd_shuffle(T value, ushort lane, int line = __builtin_LINE()) {
  return simdFrom(value, lane, line);
}
template <class T>
T simd_shuffle_down(T value, ushort by, int line = __builtin_LINE()) {
  return simdFrom(value, simdLane(line) + by, line);
}
template <class T>
T simd_shuffle_up(T value, ushort by, int line = __builtin_LINE()) {
  return simdFrom(value, simdLane(line) - by, line);
}
template <class T>
T simd_shuffle_xor(T value, ushort mask, int line = __builtin_LINE()) {
  return simdFrom(value, simdLane(line) ^ mask, line);
}
template <class T>
T simd_broadcast_first(T value, int line = __builtin_LINE()) {
  return simdFold(value, [](T a, T) { return a; }, line);
}

/// A bit for each lane of a SIMD-group that says yes.
struct simd_vote {
  uint64_t bits;
  explicit operator uint64_t() const { return bits; }
};
inline simd_vote simd_ballot(bool value, int line = __builtin_LINE()) {
  return {simd_or(value ? uint64_t{1} << simdLane(line) : uint64_t{0}, line)};
}
/// Lanes beyond the last one get the first values of `filling`.
template <class T>
T simd_shuffle_and_fill_down(T value, T filling, ushort by, int line = __builtin_LINE()) {
  const uint32_t lane = simdLane(line) + by;
  const T within = simdFrom(value, lane, line);
  const T beyond = simdFrom(filling, lane % mpslab_shader::kSimdWidth, line);
  return lane < mpslab_shader::kSimdWidth ? within : beyond;
}

}  // namespace metal

namespace mpslab_shader {

/// What a kernel's parameter stands for.
enum class Stands {
  buffer,
  thread_position_in_grid,
  thread_position_in_threadgroup,
  thread_index_in_threadgroup,
  threadgroup_position_in_grid,
  threadgroups_per_grid,
  threads_per_grid,
  threads_per_threadgroup,
  dispatch_threads_per_threadgroup,
  thread_index_in_simdgroup,
  simdgroup_index_in_threadgroup,
  threads_per_simdgroup,
  thread_execution_width,
  simdgroups_per_threadgroup,
};

struct Parameter {
  Stands stands;
  uint32_t index;
};

/// Converts a position or a size to the type of the kernel's parameter: one number, or a vector of two or
/// three.
template <class A>
struct As {
  static A of(const Size3& given) { return static_cast<A>(given.x); }
};
template <class T>
struct As<metal::vec<T, 2>> {
  static metal::vec<T, 2> of(const Size3& given) { return {given.x, given.y}; }
};
template <class T>
struct As<metal::vec<T, 3>> {
  static metal::vec<T, 3> of(const Size3& given) { return {given.x, given.y, given.z}; }
};

inline Size3 placeInGroup(const Group& group, uint32_t thread) {
  return {thread % group.size.x, thread / group.size.x % group.size.y,
          thread / (group.size.x * group.size.y)};
}

template <class A, Parameter kParameter>
struct Bind;

/// A reference, as `constant float&`.
template <class T, Parameter kParameter>
  requires(kParameter.stands == Stands::buffer)
struct Bind<T&, kParameter> {
  static T& of(const Group& group, uint32_t) {
    const Buffer& buffer = group.buffers[kParameter.index];
    return *pointer<T>((T*)buffer.data, buffer.begin, buffer.end);
  }
};
template <class T, Parameter kParameter>
  requires(kParameter.stands == Stands::buffer)
struct Bind<pointer<T>, kParameter> {
  static pointer<T> of(const Group& group, uint32_t) {
    const Buffer& buffer = group.buffers[kParameter.index];
    return {(T*)buffer.data, buffer.begin, buffer.end};
  }
};
template <class A, Parameter kParameter>
  requires(kParameter.stands != Stands::buffer)
struct Bind<A, kParameter> {
  static A of(const Group& group, uint32_t thread) {
    const auto number = [](uint32_t value) { return As<A>::of({value, 1, 1}); };
    switch (kParameter.stands) {
      case Stands::thread_position_in_grid: {
        const Size3 within = placeInGroup(group, thread);
        return As<A>::of({group.position.x * group.wholeSize.x + within.x,
                          group.position.y * group.wholeSize.y + within.y,
                          group.position.z * group.wholeSize.z + within.z});
      }
      case Stands::thread_position_in_threadgroup:
        return As<A>::of(placeInGroup(group, thread));
      case Stands::thread_index_in_threadgroup:
        return number(thread);
      case Stands::threadgroup_position_in_grid:
        return As<A>::of(group.position);
      case Stands::threadgroups_per_grid:
        return As<A>::of(group.groups);
      case Stands::threads_per_grid:
        return As<A>::of(group.grid);
      case Stands::threads_per_threadgroup:
        return As<A>::of(group.size);
      case Stands::dispatch_threads_per_threadgroup:
        return As<A>::of(group.wholeSize);
      case Stands::thread_index_in_simdgroup:
        return number(thread % kSimdWidth);
      case Stands::simdgroup_index_in_threadgroup:
        return number(thread / kSimdWidth);
      case Stands::simdgroups_per_threadgroup:
        return number((group.size.x * group.size.y * group.size.z + kSimdWidth - 1) / kSimdWidth);
      default:
        return number(kSimdWidth);
    }
  }
};

template <auto kFunction, const Parameter* kParameters>
struct Caller;
template <class... A, void (*kFunction)(A...), const Parameter* kParameters>
struct Caller<kFunction, kParameters> {
  template <size_t... I>
  static void call(Group& group, uint32_t thread, std::integer_sequence<size_t, I...>) {
    kFunction(Bind<A, kParameters[I]>::of(group, thread)...);
  }
  static void runThread(Group& group, uint32_t thread) {
    call(group, thread, std::make_integer_sequence<size_t, sizeof...(A)>());
  }
  static void runGroup(Group& group) {
    const uint32_t count = group.size.x * group.size.y * group.size.z;
    for (uint32_t thread = 0; thread < count; ++thread) {
      group.current = thread;
      runThread(group, thread);
    }
  }
};

constexpr int kMostKernels = 256;
constexpr int kMostArrays = 16;

/// The bytes of each kernel's threadgroup arrays, recorded when the library is loaded; for a template, those
/// of the largest instance.
inline size_t arrayBytes[kMostKernels][kMostArrays];

template <int kKernel, int kArray, size_t kBytes>
struct Threadgroup {
  static inline const bool noted = [] {
    size_t& bytes = arrayBytes[kKernel][kArray];
    const size_t aligned = (kBytes + 15) / 16 * 16;
    if (bytes < aligned) bytes = aligned;
    return true;
  }();
};

inline size_t threadgroupBytes(int kernel) {
  size_t sum = 0;
  for (const size_t bytes : arrayBytes[kernel]) sum += bytes;
  return sum;
}

}  // namespace mpslab_shader
