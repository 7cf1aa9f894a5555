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
  /// Its place among the products.
  size_t place = 0;
  /// Undefined where shapes or dtypes differ.
  at::Tensor device = {};
  at::Tensor host = {};
  /// `float32 [2], but the CPU's is float32 [3]`; empty where elements differ.
  std::string shapes = {};
  /// The element that is furthest beyond its bound.
  std::vector<int64_t> worstAt = {};
  double deviceValue = 0;
  double hostValue = 0;
  /// In double precision; what the CPU gave where the operator has none.
  double exactValue = 0;
  /// By how much the element may differ, and how many elements differ by more than theirs.
  double allowed = 0;
  int64_t wrongElements = 0;
};

/// The first product of a call that is beyond its bound. `device` and `host` are its products on the two;
/// `tolerance` is how many bounds are allowed.
std::optional<Difference> compare(const c10::OperatorHandle& op, Values given, const HostArguments& arguments,
                                  const std::vector<Product>& device, const std::vector<Product>& host,
                                  double tolerance);

}  // namespace mpslab::shadow
