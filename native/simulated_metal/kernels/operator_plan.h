// Describes an operator for the simulated device, read once from its schema: the positions of its tensors,
// which ones it writes, which results are new, and whether their shapes follow from the arguments' shapes
// alone.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <vector>

namespace mpslab::metal {

struct ArgumentPlan {
  enum class Kind : uint8_t { Plain, Scalar, Tensor, TensorList, OptionalTensorList, Device, Generator };
  Kind kind = Kind::Plain;
  /// The operator writes it: in place, or as `out=`.
  bool written = false;
  /// The operator writes it as `out=`, so it takes the result's shape.
  bool out = false;
};

struct ResultPlan {
  /// The index of the argument that is returned, written or as a view. -1 for a new value.
  int argument = -1;
  bool tensor = false;
};

struct OperatorPlan {
  explicit OperatorPlan(const c10::OperatorHandle& handle);

  /// Whether the call may fail because of its arguments' elements: an index, a probability, a matrix that
  /// must have an inverse. Shapes and dtypes are checked at launch.
  bool mayFail(c10::ArrayRef<c10::IValue> arguments) const;

  c10::OperatorHandle handle;
  std::vector<ArgumentPlan> arguments;
  std::vector<ResultPlan> results;
  /// A result is a view of an argument: nothing is computed.
  bool views = false;
  bool hasOut = false;
  /// All results are tensors whose shapes follow from the shapes, dtypes and numbers of the arguments.
  /// Otherwise a result's shape depends on elements (`nonzero`), or a result is a number (`equal`) or a list.
  bool shapesFollow = true;
  /// The shapes depend on floating-point numbers (`arange`). For other operators these are left out of
  /// signatures, because they change with every step of a schedule.
  bool floatsShape = false;
  /// libtorch has a Meta kernel, which computes only the shapes.
  bool hasMeta = false;
  /// Draws random numbers without taking a generator.
  bool drawsFromDefault = false;
  /// Refuses some elements whatever their dtype: numbers that are no probabilities, matrices without an
  /// inverse.
  bool refusesElements = false;
  /// Integers among its arguments may be indices. False for element-wise operators.
  bool takesIndices = false;
  /// Sums products along a dimension: matrices, convolutions.
  bool multiplies = false;
};

}  // namespace mpslab::metal
