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
  /// The operator writes it as `out=`, and it takes whatever shape the result has.
  bool out = false;
};

struct ResultPlan {
  /// The argument that comes back: written, or viewed. -1 for a new value.
  int argument = -1;
  bool tensor = false;
};

struct OperatorPlan {
  explicit OperatorPlan(const c10::OperatorHandle& handle);

  /// Whether elements decide if the call succeeds: an index, a probability, a matrix that must have an
  /// inverse. Shapes and dtypes are checked when it is launched.
  bool mayFail(c10::ArrayRef<c10::IValue> arguments) const;

  c10::OperatorHandle handle;
  std::vector<ArgumentPlan> arguments;
  std::vector<ResultPlan> results;
  /// A result is a view of an argument: nothing is computed.
  bool views = false;
  bool hasOut = false;
  /// Results are tensors whose shapes follow from the shapes, dtypes, and numbers of the arguments. Others
  /// depend on elements (`nonzero`), are numbers (`equal`), or lists.
  bool shapesFollow = true;
  /// Floating-point arguments count for the shape (`arange`); elsewhere they change with every step of a
  /// schedule.
  bool floatsShape = false;
  /// libtorch has a Meta kernel: the shape without the work.
  bool hasMeta = false;
  /// Draws random numbers without taking a generator.
  bool drawsFromDefault = false;
  /// Takes elements of any dtype only as they must be: probabilities, matrices with an inverse.
  bool refusesElements = false;
  /// Whole numbers among its arguments may be indices. Not of one that takes each element by itself.
  bool takesIndices = false;
  /// Sums products along a dimension: matrices, convolutions.
  bool multiplies = false;
};

}  // namespace mpslab::metal
