// Implements metal_math, metal_common, metal_geometric, metal_relational and metal_integer. Functions take
// float, half and vectors. A half is computed as float and rounded once. Vectors are computed lane by lane.
#pragma once
#include "vectors.h"

namespace metal {

#define MPSLAB_LANES1(name)                                     \
  template <class T, int N>                                     \
  auto name(const vec<T, N>& a) {                               \
    vec<decltype(name(a.lane[0])), N> made;                     \
    for (int i = 0; i < N; ++i) made.lane[i] = name(a.lane[i]); \
    return made;                                                \
  }
#define MPSLAB_LANES2(name)                                                   \
  template <class T, int N>                                                   \
  vec<T, N> name(const vec<T, N>& a, const vec<T, N>& b) {                    \
    vec<T, N> made;                                                           \
    for (int i = 0; i < N; ++i) made.lane[i] = name(a.lane[i], b.lane[i]);    \
    return made;                                                              \
  }                                                                           \
  template <class T, int N, class S, class = enable_if_t<is_arithmetic_v<S>>> \
  vec<T, N> name(const vec<T, N>& a, S b) {                                   \
    return name(a, vec<T, N>(static_cast<T>(b)));                             \
  }
#define MPSLAB_LANES3(name)                                                                    \
  template <class T, int N, class B, class C>                                                  \
  vec<T, N> name(const vec<T, N>& a, const B& b, const C& c) {                                 \
    const vec<T, N> second(b), third(c);                                                       \
    vec<T, N> made;                                                                            \
    for (int i = 0; i < N; ++i) made.lane[i] = name(a.lane[i], second.lane[i], third.lane[i]); \
    return made;                                                                               \
  }

#define MPSLAB_MATH1(name, expression)                                                \
  inline float name(float x) { return expression; }                                   \
  inline half name(half x) { return static_cast<half>(name(static_cast<float>(x))); } \
  MPSLAB_LANES1(name)
#define MPSLAB_MATH2(name, expression)                                            \
  inline float name(float x, float y) { return expression; }                      \
  inline half name(half x, half y) {                                              \
    return static_cast<half>(name(static_cast<float>(x), static_cast<float>(y))); \
  }                                                                               \
  MPSLAB_LANES2(name)

MPSLAB_MATH1(acos, std::acos(x))
MPSLAB_MATH1(acosh, std::acosh(x))
MPSLAB_MATH1(asin, std::asin(x))
MPSLAB_MATH1(asinh, std::asinh(x))
MPSLAB_MATH1(atan, std::atan(x))
MPSLAB_MATH1(atanh, std::atanh(x))
MPSLAB_MATH1(ceil, std::ceil(x))
MPSLAB_MATH1(cos, std::cos(x))
MPSLAB_MATH1(cosh, std::cosh(x))
MPSLAB_MATH1(cospi, std::cos(M_PI_F* x))
MPSLAB_MATH1(exp, std::exp(x))
MPSLAB_MATH1(exp2, std::exp2(x))
MPSLAB_MATH1(exp10, std::pow(10.0f, x))
MPSLAB_MATH1(fabs, std::fabs(x))
MPSLAB_MATH1(floor, std::floor(x))
MPSLAB_MATH1(fract, std::fmin(x - std::floor(x), 0x1.fffffep-1f))
MPSLAB_MATH1(log, std::log(x))
MPSLAB_MATH1(log2, std::log2(x))
MPSLAB_MATH1(log10, std::log10(x))
MPSLAB_MATH1(rint, std::rint(x))
MPSLAB_MATH1(round, std::round(x))
MPSLAB_MATH1(rsqrt, 1.0f / std::sqrt(x))
MPSLAB_MATH1(saturate, std::fmin(std::fmax(x, 0.0f), 1.0f))
MPSLAB_MATH1(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f)
MPSLAB_MATH1(sin, std::sin(x))
MPSLAB_MATH1(sinh, std::sinh(x))
MPSLAB_MATH1(sinpi, std::sin(M_PI_F* x))
MPSLAB_MATH1(sqrt, std::sqrt(x))
MPSLAB_MATH1(tan, std::tan(x))
MPSLAB_MATH1(tanh, std::tanh(x))
MPSLAB_MATH1(trunc, std::trunc(x))

MPSLAB_MATH2(atan2, std::atan2(x, y))
MPSLAB_MATH2(copysign, std::copysign(x, y))
MPSLAB_MATH2(divide, x / y)
MPSLAB_MATH2(fdim, std::fdim(x, y))
MPSLAB_MATH2(fmax, std::fmax(x, y))
MPSLAB_MATH2(fmin, std::fmin(x, y))
MPSLAB_MATH2(fmod, std::fmod(x, y))
MPSLAB_MATH2(pow, std::pow(x, y))
MPSLAB_MATH2(powr, std::pow(x, y))
MPSLAB_MATH2(step, y < x ? 0.0f : 1.0f)

inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline half fma(half a, half b, half c) {
  return static_cast<half>(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
MPSLAB_LANES3(fma)

inline float sincos(float x, float& cosine) {
  cosine = std::cos(x);
  return std::sin(x);
}
inline float ldexp(float x, int exponent) { return std::ldexp(x, exponent); }

#define MPSLAB_ASKED(name, expression)                             \
  inline bool name(float x) { return expression; }                 \
  inline bool name(half x) { return name(static_cast<float>(x)); } \
  MPSLAB_LANES1(name)
MPSLAB_ASKED(isnan, x != x)
MPSLAB_ASKED(isinf, __builtin_isinf(x))
MPSLAB_ASKED(isfinite, __builtin_isfinite(x))
MPSLAB_ASKED(signbit, __builtin_signbit(x))

inline bool isunordered(float x, float y) { return x != x || y != y; }
template <class T, int N>
vec<bool, N> isunordered(const vec<T, N>& a, const vec<T, N>& b) {
  vec<bool, N> made;
  for (int i = 0; i < N; ++i) made.lane[i] = isunordered(a.lane[i], b.lane[i]);
  return made;
}

/// Whether a function takes these two types: they must be equal, or both floating-point.
template <class A, class B>
constexpr bool kMeet = is_same_v<A, B> || (is_floating_point_v<A> && is_floating_point_v<B>);

template <class A, class B, class = enable_if_t<is_arithmetic_v<A> && kMeet<A, B>>>
auto max(A a, B b) -> std::remove_cvref_t<decltype(true ? a : b)> {
  if constexpr (is_floating_point_v<A>)
    return fmax(a, b);
  else
    return a < b ? b : a;
}
template <class A, class B, class = enable_if_t<is_arithmetic_v<A> && kMeet<A, B>>>
auto min(A a, B b) -> std::remove_cvref_t<decltype(true ? a : b)> {
  if constexpr (is_floating_point_v<A>)
    return fmin(a, b);
  else
    return b < a ? b : a;
}
MPSLAB_LANES2(max)
MPSLAB_LANES2(min)
template <class T, class = enable_if_t<is_arithmetic_v<T>>>
T max3(T a, T b, T c) {
  return max(max(a, b), c);
}
template <class T, class = enable_if_t<is_arithmetic_v<T>>>
T min3(T a, T b, T c) {
  return min(min(a, b), c);
}

template <class A, class B, class C, class = enable_if_t<kMeet<A, B> && kMeet<A, C>>>
auto clamp(A x, B least, C most) {
  return min(max(x, least), most);
}
MPSLAB_LANES3(clamp)

template <class T, class = enable_if_t<is_arithmetic_v<T>>>
T abs(T x) {
  return x < T(0) ? T(-x) : x == T(0) ? T(0) : x;
}
template <class T, int N>
vec<T, N> abs(const vec<T, N>& a) {
  vec<T, N> made;
  for (int i = 0; i < N; ++i) made.lane[i] = abs(a.lane[i]);
  return made;
}

template <class A, class B, class C>
auto mix(const A& x, const B& y, const C& by) {
  return x + (y - x) * by;
}
inline float smoothstep(float from, float to, float x) {
  const float t = saturate((x - from) / (to - from));
  return t * t * (3.0f - 2.0f * t);
}

template <class T>
T select(T no, T yes, bool which) {
  return which ? yes : no;
}
template <class T, int N>
vec<T, N> select(const vec<T, N>& no, const vec<T, N>& yes, const vec<bool, N>& which) {
  vec<T, N> made;
  for (int i = 0; i < N; ++i) made.lane[i] = which.lane[i] ? yes.lane[i] : no.lane[i];
  return made;
}
template <int N>
bool any(const vec<bool, N>& a) {
  for (int i = 0; i < N; ++i)
    if (a.lane[i]) return true;
  return false;
}
template <int N>
bool all(const vec<bool, N>& a) {
  for (int i = 0; i < N; ++i)
    if (!a.lane[i]) return false;
  return true;
}

template <class T, int N>
T dot(const vec<T, N>& a, const vec<T, N>& b) {
  T sum = a.lane[0] * b.lane[0];
  for (int i = 1; i < N; ++i) sum += a.lane[i] * b.lane[i];
  return sum;
}
template <class T, int N>
T length_squared(const vec<T, N>& a) {
  return dot(a, a);
}
template <class T, int N>
T length(const vec<T, N>& a) {
  return sqrt(dot(a, a));
}
template <class T, int N>
T distance(const vec<T, N>& a, const vec<T, N>& b) {
  return length(a - b);
}
template <class T, int N>
vec<T, N> normalize(const vec<T, N>& a) {
  return a / length(a);
}
template <class T>
vec<T, 3> cross(const vec<T, 3>& a, const vec<T, 3>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T, class = enable_if_t<is_integral_v<T>>>
T popcount(T x) {
  return static_cast<T>(__builtin_popcountll(static_cast<make_unsigned_t<T>>(x)));
}
template <class T, class = enable_if_t<is_integral_v<T>>>
T clz(T x) {
  return x == 0 ? T(sizeof(T) * 8)
                : static_cast<T>(__builtin_clzll(static_cast<make_unsigned_t<T>>(x)) -
                                 (64 - int(sizeof(T)) * 8));
}
template <class T, class = enable_if_t<is_integral_v<T>>>
T ctz(T x) {
  return x == 0 ? T(sizeof(T) * 8) : static_cast<T>(__builtin_ctzll(static_cast<make_unsigned_t<T>>(x)));
}
template <class T, class = enable_if_t<is_integral_v<T>>>
T mulhi(T a, T b) {
  return static_cast<T>((static_cast<__int128>(a) * static_cast<__int128>(b)) >> (sizeof(T) * 8));
}

#undef MPSLAB_LANES1
#undef MPSLAB_LANES2
#undef MPSLAB_LANES3
#undef MPSLAB_MATH1
#undef MPSLAB_MATH2
#undef MPSLAB_ASKED

/// precise and fast are the same here, because the host's functions are precise.
namespace precise {
using namespace ::metal;
}
namespace fast {
using namespace ::metal;
}

}  // namespace metal

/// The bits of one type as another's.
template <class To, class From>
To as_type(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "as_type needs two types of one size");
  To made;
  std::memcpy(&made, &from, sizeof made);
  return made;
}
