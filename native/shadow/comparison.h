// Compares what a device gave with what the CPU gave of the same arguments. The bound is no table of numbers:
// the call is repeated in double precision, and again with every argument moved by one rounding of its dtype.
// How far that moves a result is what rounding may do to it.
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "shadow/host_call.h"

namespace mpslab::shadow {

struct Difference {
  std::string product;
  /// The product's index among the call's products.
  size_t place = 0;
  /// Undefined where shapes or dtypes differ.
  at::Tensor device = {};
  at::Tensor host = {};
  /// `float32 [2], but the CPU's is float32 [3]`; empty where elements differ.
  std::string shapes = {};
  /// The element that exceeds its bound most.
  std::vector<int64_t> worstAt = {};
  double deviceValue = 0;
  double hostValue = 0;
  /// The element in double precision; the CPU's element if the operator does not take doubles.
  double exactValue = 0;
  /// By how much the element may differ, and how many elements differ by more than theirs.
  double allowed = 0;
  int64_t wrongElements = 0;
};

/// Returns the first product of a call that exceeds its bound. `device` and `host` are the call's products on
/// the two devices. `tolerance` multiplies the bounds.
std::optional<Difference> compare(const c10::OperatorHandle& op, Values given, const HostArguments& arguments,
                                  const std::vector<Product>& device, const std::vector<Product>& host,
                                  double tolerance);

}  // namespace mpslab::shadow
