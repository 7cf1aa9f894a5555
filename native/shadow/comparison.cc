// Looks cheaply first: most results are equal, or a few roundings apart. Only results that are further apart
// are judged by the bound.
//
// Source of the method, which moves arguments at random to see what rounding does to a result: Parker, Monte
// Carlo Arithmetic (1997).
#include "shadow/comparison.h"

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "shadow/operator_rules.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::shadow {
namespace {

/// Results that are at most this many roundings apart (of the result plus the mean of its tensor) are not
/// judged further.
constexpr double kNearRoundings = 16;
/// A bound is this many times the change that moving the arguments makes.
constexpr double kMargin = 8;
constexpr uint64_t kMoves[] = {1, 2};
/// A GPU may round smaller numbers to zero.
constexpr double kSmallestNumber = std::numeric_limits<float>::min();

/// The elements as doubles, contiguous; a complex number is two doubles.
at::Tensor doublesOf(const at::Tensor& tensor) {
  const at::Tensor real = tensor.is_complex() ? at::view_as_real(tensor) : tensor;
  return at::_to_copy(real, real.options().dtype(at::kDouble)).contiguous();
}

/// The mean of the finite values, so that one infinity does not spoil it.
double meanMagnitude(const double* values, int64_t count) {
  double sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) continue;
    sum += std::abs(values[i]);
    ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

bool isEqual(double one, double other) { return one == other || (std::isnan(one) && std::isnan(other)); }

bool isNear(const at::Tensor& device, const at::Tensor& host, double roundings) {
  const at::Tensor a = doublesOf(device), b = doublesOf(host);
  const auto* here = a.const_data_ptr<double>();
  const auto* there = b.const_data_ptr<double>();
  const double mean = meanMagnitude(there, b.numel());
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (isEqual(here[i], there[i])) continue;
    // A NaN fails this comparison, so it is not near any number.
    if (!(std::abs(here[i] - there[i]) <= roundings * (std::abs(there[i]) + mean))) return false;
  }
  return true;
}

/// A product's elements in double precision, and how far from them rounding may take the result.
struct Bound {
  at::Tensor exact;
  /// How far each element moves when the arguments move by a rounding.
  std::vector<double> moved;
  double meanMoved = 0;

  static Bound of(const at::Tensor& host) {
    Bound bound{doublesOf(host), {}};
    bound.moved.resize(static_cast<size_t>(bound.exact.numel()));
    return bound;
  }
};

/// The products of a call in double precision; none if the operator does not take doubles.
std::vector<Product> inDouble(const c10::OperatorHandle& op, const HostArguments& arguments,
                              std::optional<uint64_t> movedBy) {
  try {
    return callOnHost(op, arguments, {true, movedBy});
  } catch (const std::exception&) {
    return {};
  }
}

Bound boundOf(const c10::OperatorHandle& op, const HostArguments& arguments, size_t place,
              const at::Tensor& host) {
  Bound bound = Bound::of(host);
  const std::vector<Product> exact = inDouble(op, arguments, {});
  if (place >= exact.size() || !exact[place].tensor.defined() ||
      exact[place].tensor.sizes() != host.sizes() || exact[place].tensor.is_complex() != host.is_complex())
    return bound;
  bound.exact = doublesOf(exact[place].tensor);
  const auto* values = bound.exact.const_data_ptr<double>();
  for (const uint64_t move : kMoves) {
    const std::vector<Product> moved = inDouble(op, arguments, move);
    if (place >= moved.size()) continue;
    const at::Tensor doubles = doublesOf(moved[place].tensor);
    const auto* movedValues = doubles.const_data_ptr<double>();
    for (size_t i = 0; i < bound.moved.size(); ++i) {
      const double distance = std::abs(movedValues[i] - values[i]);
      if (distance > bound.moved[i]) bound.moved[i] = distance;
    }
  }
  bound.meanMoved = meanMagnitude(bound.moved.data(), static_cast<int64_t>(bound.moved.size()));
  return bound;
}

std::vector<int64_t> indexOf(int64_t flat, at::IntArrayRef sizes, bool isComplex) {
  if (isComplex) flat /= 2;
  std::vector<int64_t> index(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0; flat /= sizes[dim]) index[dim] = flat % sizes[dim];
  return index;
}

/// Judges results that must be equal. The elements are compared in their own dtype, because two int64 beyond
/// 2^53 may become the same double.
std::optional<Difference> unequal(const Product& device, size_t place, const at::Tensor& host) {
  const at::Tensor areNaN = at::isnan(device.tensor).logical_and(at::isnan(host));
  const at::Tensor differs = at::ne(device.tensor, host).logical_and(areNaN.logical_not());
  const auto wrongElements = differs.sum().item<int64_t>();
  if (wrongElements == 0) return {};
  const at::Tensor here = doublesOf(device.tensor), there = doublesOf(host);
  const at::Tensor apart = at::nan_to_num(here.sub(there).abs(), std::numeric_limits<double>::infinity());
  const auto worst = at::where(differs, apart, -1).argmax().item<int64_t>();
  Difference difference{device.name, place, device.tensor, host};
  difference.worstAt = indexOf(worst, host.sizes(), false);
  difference.deviceValue = here.const_data_ptr<double>()[worst];
  difference.hostValue = difference.exactValue = there.const_data_ptr<double>()[worst];
  difference.wrongElements = wrongElements;
  return difference;
}

/// Judges each element. It may differ by `scale` times what a rounding does.
std::optional<Difference> judged(const Product& device, size_t place, const at::Tensor& host,
                                 const Bound& bound, double unit, double scale) {
  const at::Tensor a = doublesOf(device.tensor), b = doublesOf(host);
  // The exact values in the result's dtype: infinity, if a value is too large for a narrow dtype.
  const at::Tensor rounded = doublesOf(
      at::_to_copy(bound.exact, bound.exact.options().dtype(c10::toRealValueType(host.scalar_type()))));
  const auto* here = a.const_data_ptr<double>();
  const auto* there = b.const_data_ptr<double>();
  const auto* exact = bound.exact.const_data_ptr<double>();
  const auto* narrow = rounded.const_data_ptr<double>();
  Difference difference{device.name, place, device.tensor, host};
  double worst = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (isEqual(here[i], there[i]) || isEqual(here[i], narrow[i])) continue;
    const double allowed = scale * (unit * std::abs(exact[i]) + bound.moved[static_cast<size_t>(i)] +
                                    bound.meanMoved + kSmallestNumber);
    const double apart = std::abs(here[i] - exact[i]);
    if (apart <= allowed || (std::isnan(here[i]) && std::isnan(exact[i]))) continue;
    ++difference.wrongElements;
    const double excess = std::isfinite(apart) ? apart / allowed : std::numeric_limits<double>::infinity();
    if (difference.wrongElements > 1 && !(excess > worst)) continue;
    worst = excess;
    difference.worstAt = indexOf(i, host.sizes(), host.is_complex());
    difference.deviceValue = here[i];
    difference.hostValue = there[i];
    difference.exactValue = exact[i];
    difference.allowed = allowed;
  }
  return difference.wrongElements == 0 ? std::nullopt : std::optional(std::move(difference));
}

}  // namespace

std::optional<Difference> compare(const c10::OperatorHandle& op, Values given, const HostArguments& arguments,
                                  const std::vector<Product>& device, const std::vector<Product>& host,
                                  double tolerance) {
  for (size_t i = 0; i < device.size() && i < host.size(); ++i) {
    const at::Tensor& expected = host[i].tensor;
    if (!device[i].tensor.defined() || !expected.defined() || !isDetermined(op, i)) continue;
    if (device[i].tensor.sizes() != expected.sizes() ||
        device[i].tensor.scalar_type() != expected.scalar_type()) {
      // Later results are for the operator's backward, and each device may need its own.
      if (i > 0) continue;
      Difference difference{device[i].name, i};
      difference.shapes = describe(device[i].tensor) + ", but the CPU's is " + describe(expected);
      return difference;
    }
    const Product found{device[i].name, hostCopy(device[i].tensor)};
    if (found.tensor.equal(expected)) continue;
    const bool isFloating = expected.is_floating_point() || expected.is_complex();
    if (!isFloating && i > 0 && givesPositions(op)) continue;
    if (!isFloating || (isExact(op) && !expected.is_complex())) {
      if (auto difference = unequal(found, i, expected)) return difference;
      continue;
    }
    const double unit = std::max(unitRoundoff(expected.scalar_type()), arguments.unitRoundoff());
    if (isNear(found.tensor, expected, tolerance * kNearRoundings * unit)) continue;
    const double scale = tolerance * kMargin * std::sqrt(static_cast<double>(termsOf(op, given)));
    const Bound bound = boundOf(op, arguments, i, expected);
    if (auto difference = judged(found, i, expected, bound, unit, scale)) return difference;
  }
  return {};
}

}  // namespace mpslab::shadow
