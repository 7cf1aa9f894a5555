// Metal's vectors of 2, 3 and 4 lanes with their operators. A swizzle `v.zyx` is written `v.pick(lanes<2, 1,
// 0>())` by the translation, `v.xy = w` as `v.place(lanes<0, 1>()) = w`.
#pragma once
#include "scalars.h"

namespace mpslab_shader {

template <int... Lanes>
struct lanes {};

}  // namespace mpslab_shader

namespace metal {

template <class T, int N>
struct vec;

template <class T, int N>
struct Lanes;
template <class T>
struct Lanes<T, 2> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T lane[2];
  };
};
template <class T>
struct Lanes<T, 3> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T lane[3];
  };
};
template <class T>
struct Lanes<T, 4> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T lane[4];
  };
};

/// A swizzle that is assigned to.
template <class T, int N, int... Chosen>
struct Placed {
  vec<T, N>& of;
  static constexpr int kPlaces[] = {Chosen...};

  Placed& operator=(const vec<T, sizeof...(Chosen)>& from) {
    for (size_t i = 0; i < sizeof...(Chosen); ++i) of.lane[kPlaces[i]] = from.lane[i];
    return *this;
  }
  Placed& operator=(T from) { return *this = vec<T, sizeof...(Chosen)>(from); }
  template <class U>
  Placed& operator+=(const U& by) {
    return *this = of.pick(mpslab_shader::lanes<Chosen...>()) + by;
  }
  template <class U>
  Placed& operator-=(const U& by) {
    return *this = of.pick(mpslab_shader::lanes<Chosen...>()) - by;
  }
  template <class U>
  Placed& operator*=(const U& by) {
    return *this = of.pick(mpslab_shader::lanes<Chosen...>()) * by;
  }
  template <class U>
  Placed& operator/=(const U& by) {
    return *this = of.pick(mpslab_shader::lanes<Chosen...>()) / by;
  }
};

template <class T, int N>
struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec : Lanes<T, N> {
  using Lanes<T, N>::lane;

  vec() = default;
  constexpr vec(T everywhere) {
    for (int i = 0; i < N; ++i) lane[i] = everywhere;
  }
  template <class U>
  constexpr explicit vec(const vec<U, N>& other) {
    for (int i = 0; i < N; ++i) lane[i] = static_cast<T>(other.lane[i]);
  }
  /// Joins scalars and vectors that together have N lanes.
  template <class A, class B, class... More>
  constexpr vec(const A& first, const B& second, const More&... more) {
    int filled = 0;
    fill(filled, first);
    fill(filled, second);
    (fill(filled, more), ...);
  }

  T& operator[](int index) { return lane[index]; }
  const T& operator[](int index) const { return lane[index]; }

  template <int... Chosen>
  vec<T, sizeof...(Chosen)> pick(mpslab_shader::lanes<Chosen...>) const {
    return {lane[Chosen]...};
  }
  template <int... Chosen>
  Placed<T, N, Chosen...> place(mpslab_shader::lanes<Chosen...>) {
    return {*this};
  }

 private:
  template <class U, int M>
  constexpr void fill(int& filled, const vec<U, M>& part) {
    for (int i = 0; i < M; ++i) lane[filled++] = static_cast<T>(part.lane[i]);
  }
  template <class U>
  constexpr void fill(int& filled, const U& part) {
    lane[filled++] = static_cast<T>(part);
  }
};

#define MPSLAB_BINARY(op)                                                              \
  template <class T, int N>                                                            \
  vec<T, N> operator op(const vec<T, N>& a, const vec<T, N>& b) {                      \
    vec<T, N> made;                                                                    \
    for (int i = 0; i < N; ++i) made.lane[i] = static_cast<T>(a.lane[i] op b.lane[i]); \
    return made;                                                                       \
  }                                                                                    \
  template <class T, int N, class S, class = enable_if_t<is_arithmetic_v<S>>>          \
  vec<T, N> operator op(const vec<T, N>& a, S b) {                                     \
    return a op vec<T, N>(static_cast<T>(b));                                          \
  }                                                                                    \
  template <class T, int N, class S, class = enable_if_t<is_arithmetic_v<S>>>          \
  vec<T, N> operator op(S a, const vec<T, N>& b) {                                     \
    return vec<T, N>(static_cast<T>(a)) op b;                                          \
  }                                                                                    \
  template <class T, int N, class U>                                                   \
  vec<T, N>& operator op## = (vec<T, N> & a, const U& b) {                             \
    return a = a op b;                                                                 \
  }
MPSLAB_BINARY(+)
MPSLAB_BINARY(-)
MPSLAB_BINARY(*)
MPSLAB_BINARY(/)
MPSLAB_BINARY(%)
MPSLAB_BINARY(&)
MPSLAB_BINARY(|)
MPSLAB_BINARY(^)
MPSLAB_BINARY(<<)
MPSLAB_BINARY(>>)
#undef MPSLAB_BINARY

#define MPSLAB_COMPARISON(op)                                                 \
  template <class T, int N>                                                   \
  vec<bool, N> operator op(const vec<T, N>& a, const vec<T, N>& b) {          \
    vec<bool, N> made;                                                        \
    for (int i = 0; i < N; ++i) made.lane[i] = a.lane[i] op b.lane[i];        \
    return made;                                                              \
  }                                                                           \
  template <class T, int N, class S, class = enable_if_t<is_arithmetic_v<S>>> \
  vec<bool, N> operator op(const vec<T, N>& a, S b) {                         \
    return a op vec<T, N>(static_cast<T>(b));                                 \
  }
MPSLAB_COMPARISON(==)
MPSLAB_COMPARISON(!=)
MPSLAB_COMPARISON(<)
MPSLAB_COMPARISON(<=)
MPSLAB_COMPARISON(>)
MPSLAB_COMPARISON(>=)
#undef MPSLAB_COMPARISON

template <class T, int N>
vec<T, N> operator-(const vec<T, N>& a) {
  return vec<T, N>(T(0)) - a;
}
template <class T, int N>
vec<T, N> operator~(const vec<T, N>& a) {
  return a ^ vec<T, N>(static_cast<T>(~T(0)));
}
template <int N>
vec<bool, N> operator!(const vec<bool, N>& a) {
  return a == vec<bool, N>(false);
}

/// Lanes without padding: a packed vector of three has the size of three scalars.
template <class T, int N>
struct packed_vec {
  T lane[N];
  packed_vec() = default;
  packed_vec(const vec<T, N>& from) { std::memcpy(lane, from.lane, sizeof lane); }
  operator vec<T, N>() const {
    vec<T, N> made;
    std::memcpy(made.lane, lane, sizeof lane);
    return made;
  }
  T& operator[](int index) { return lane[index]; }
  const T& operator[](int index) const { return lane[index]; }
};

}  // namespace metal

#define MPSLAB_VECTORS(name, T)                     \
  using name##2 = metal::vec<T, 2>;                 \
  using name##3 = metal::vec<T, 3>;                 \
  using name##4 = metal::vec<T, 4>;                 \
  using packed_##name##2 = metal::packed_vec<T, 2>; \
  using packed_##name##3 = metal::packed_vec<T, 3>; \
  using packed_##name##4 = metal::packed_vec<T, 4>;
MPSLAB_VECTORS(float, float)
MPSLAB_VECTORS(half, half)
MPSLAB_VECTORS(bfloat, bfloat)
MPSLAB_VECTORS(char, signed char)
MPSLAB_VECTORS(uchar, unsigned char)
MPSLAB_VECTORS(short, short)
MPSLAB_VECTORS(ushort, unsigned short)
MPSLAB_VECTORS(int, int)
MPSLAB_VECTORS(uint, unsigned int)
MPSLAB_VECTORS(long, long)
MPSLAB_VECTORS(ulong, unsigned long)
MPSLAB_VECTORS(bool, bool)
#undef MPSLAB_VECTORS
