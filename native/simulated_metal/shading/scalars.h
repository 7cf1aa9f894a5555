// Metal's scalar types, limits and type traits.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#define __METAL_VERSION__ 310
#define __METAL__ 1
#define METAL_FUNC inline

#if !defined(__FLT16_MANT_DIG__)
#error Metal's half needs a C++ compiler with _Float16: GCC 12 or Clang 15
#endif

using half = _Float16;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

/// A float without its lower 16 bits.
struct bfloat {
  uint16_t bits;
  bfloat() = default;
  bfloat(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    // The value is rounded to the nearest, halves to even. A NaN stays one.
    bits = value != value ? 0x7fc0 : static_cast<uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
  }
  operator float() const {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  bfloat& operator+=(float other) { return *this = bfloat(*this + other); }
  bfloat& operator-=(float other) { return *this = bfloat(*this - other); }
  bfloat& operator*=(float other) { return *this = bfloat(*this * other); }
  bfloat& operator/=(float other) { return *this = bfloat(*this / other); }
};

#undef INFINITY
#undef NAN
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXFLOAT 3.402823466e+38f
#define HUGE_VALF __builtin_inff()
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define HALF_MAX 65504.0f
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.434294481903251827651f
#define M_LN2_F 0.693147180559945309417f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.785398163397448309616f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_PI_F 0.636619772367581343076f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.707106781186547524401f

namespace metal {

using std::array;
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::integral_constant;
using std::is_convertible_v;
using std::is_integral;
using std::is_integral_v;
using std::is_same;
using std::is_same_v;
using std::is_signed;
using std::is_signed_v;
using std::is_unsigned;
using std::is_unsigned_v;
using std::make_signed;
using std::make_signed_t;
using std::make_unsigned;
using std::make_unsigned_t;
using std::move;
using std::pair;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::true_type;
using std::void_t;

template <class T>
constexpr bool is_floating_point_v =
    std::is_same_v<std::remove_cv_t<T>, float> || std::is_same_v<std::remove_cv_t<T>, half> ||
    std::is_same_v<std::remove_cv_t<T>, bfloat>;
template <class T>
constexpr bool is_arithmetic_v = std::is_integral_v<T> || is_floating_point_v<T>;

template <class T>
constexpr bool is_scalar_v = is_arithmetic_v<T>;

template <class T>
struct numeric_limits : std::numeric_limits<T> {};
template <>
struct numeric_limits<half> {
  static constexpr half max() { return 65504.0f; }
  static constexpr half lowest() { return -65504.0f; }
  static constexpr half min() { return 6.103515625e-05f; }
  static constexpr half epsilon() { return 9.765625e-04f; }
  static constexpr half infinity() { return __builtin_inff(); }
  static constexpr half quiet_NaN() { return __builtin_nanf(""); }
};
template <>
struct numeric_limits<bfloat> {
  static bfloat max() { return 3.3895313892515355e38f; }
  static bfloat lowest() { return -3.3895313892515355e38f; }
  static bfloat min() { return 1.175494351e-38f; }
  static bfloat epsilon() { return 0.0078125f; }
  static bfloat infinity() { return __builtin_inff(); }
  static bfloat quiet_NaN() { return __builtin_nanf(""); }
};

}  // namespace metal
