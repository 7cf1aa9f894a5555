// metal_atomic on device and threadgroup memory, with relaxed order, as Metal has it.
#pragma once
#include "pointers.h"

namespace metal {

enum memory_order { memory_order_relaxed };

template <class T>
struct atomic {
  T value;
};

/// The address of an atomic function's argument, which may be a pointer of any kind.
template <class T>
T* placeOf(const volatile atomic<T>* object) {
  return const_cast<T*>(&object->value);
}
template <class T>
T* placeOf(const mpslab_shader::pointer<T>& object) {
  return placeOf(&*object);
}
template <class T>
T* placeOf(const mpslab_shader::pointer<atomic<T>>& object) {
  return const_cast<T*>(&(*object).value);
}
template <class T>
T* placeOf(const mpslab_shader::pointer<const atomic<T>>& object) {
  return const_cast<T*>(&(*object).value);
}
template <class T>
T* placeOf(const mpslab_shader::pointer<volatile atomic<T>>& object) {
  return const_cast<T*>(&(*object).value);
}

template <class P>
auto atomic_load_explicit(const P& object, memory_order) {
  std::remove_cv_t<std::remove_pointer_t<decltype(placeOf(object))>> found;
  __atomic_load(placeOf(object), &found, __ATOMIC_RELAXED);
  return found;
}
template <class P, class V>
void atomic_store_explicit(const P& object, V given, memory_order) {
  std::remove_pointer_t<decltype(placeOf(object))> value(given);
  __atomic_store(placeOf(object), &value, __ATOMIC_RELAXED);
}
template <class P, class V>
auto atomic_exchange_explicit(const P& object, V given, memory_order) {
  std::remove_pointer_t<decltype(placeOf(object))> value(given), found;
  __atomic_exchange(placeOf(object), &value, &found, __ATOMIC_RELAXED);
  return found;
}
template <class P, class E, class V>
bool atomic_compare_exchange_weak_explicit(const P& object, E* expected, V given, memory_order,
                                           memory_order) {
  std::remove_pointer_t<decltype(placeOf(object))> value(given);
  return __atomic_compare_exchange(placeOf(object), expected, &value, true, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED);
}

/// Changes a value atomically, and returns the value before.
template <class T, class Change>
T changeAtomically(T* place, Change change) {
  T found;
  __atomic_load(place, &found, __ATOMIC_RELAXED);
  for (;;) {
    T made = static_cast<T>(change(found));
    if (__atomic_compare_exchange(place, &found, &made, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return found;
  }
}

#define MPSLAB_FETCH(name, expression)                                                \
  template <class P, class V>                                                         \
  auto atomic_fetch_##name##_explicit(const P& object, V by, memory_order) {          \
    return changeAtomically(placeOf(object), [&](auto found) { return expression; }); \
  }
MPSLAB_FETCH(add, found + by)
MPSLAB_FETCH(sub, found - by)
MPSLAB_FETCH(and, found& by)
MPSLAB_FETCH(or, found | by)
MPSLAB_FETCH(xor, found ^ by)
MPSLAB_FETCH(max, found < static_cast<decltype(found)>(by) ? static_cast<decltype(found)>(by) : found)
MPSLAB_FETCH(min, static_cast<decltype(found)>(by) < found ? static_cast<decltype(found)>(by) : found)
#undef MPSLAB_FETCH

}  // namespace metal

using metal::memory_order_relaxed;
using atomic_int = metal::atomic<int>;
using atomic_uint = metal::atomic<unsigned int>;
using atomic_float = metal::atomic<float>;
using atomic_bool = metal::atomic<bool>;
