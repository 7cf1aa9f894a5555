// What one step did, as plain data: the tensors it used, and its operators in order. Recorder makes a
// program, replay runs it.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

namespace mpslab::capture {

/// The number of a tensor in a program.
using Slot = int32_t;
constexpr Slot kNothing = -1;

/// Where a tensor is, and how it lies in its storage.
struct Geometry {
  c10::DimVector sizes;
  c10::DimVector strides;
  int64_t offset = 0;
  at::ScalarType dtype = at::kFloat;
  at::Device device = at::kCPU;
  bool conjugate = false;
  bool negative = false;

  static Geometry of(const at::Tensor& tensor);
  bool operator==(const Geometry& other) const = default;
};

/// `float32 [2, 3]`
std::string describe(const Geometry& geometry);

/// Whether a tensor still has this geometry. Compares without making a Geometry, because every tensor is
/// checked in every call.
bool liesAs(const at::Tensor& tensor, const Geometry& geometry);

/// Where the value of a slot comes from.
struct Source {
  enum class Kind : uint8_t {
    /// An operator of the program makes it.
    Made,
    /// It was there before the step, as parameters and buffers are; or it is a view of such a tensor.
    Kept,
    /// The step made it of JavaScript's numbers, which a replay does not see again.
    Constant,
    /// An argument of the step.
    Input,
    /// The gradient that a leaf had when the step began; `tensor` is the leaf.
    Gradient
  };

  Kind kind = Kind::Made;
  at::Tensor tensor{};
  /// The address of the user's tensor; `tensor` may be a copy of it without its graph. nullptr for a tensor
  /// that no user can dispose of.
  const at::TensorImpl* original = nullptr;
  /// Number of the argument.
  size_t input = 0;
  Geometry geometry{};
  at::Device device = at::kCPU;
};

struct Argument {
  enum class Kind : uint8_t { Value, Tensor, Tensors, OptionalTensors };

  Kind kind = Kind::Value;
  /// The value of an argument without tensors. Also set for tensors that are the same in each replay.
  c10::IValue value;
  c10::SmallVector<Slot, 1> slots;
  bool hasValue() const { return kind == Kind::Value || !value.isNone(); }
};

/// An operator, or a view. A view needs no operator: its geometry is known.
struct Instruction {
  std::optional<c10::OperatorHandle> op;
  std::vector<Argument> arguments;
  /// One for each tensor of the results. kNothing for a tensor that already has a slot, such as an in-place
  /// operator's result.
  c10::SmallVector<Slot, 1> results;
  /// The slots that no later instruction uses.
  c10::SmallVector<Slot, 2> lastUses;
};

/// Whether autocast is on for a device; meta has none.
bool castsAutomatically(at::DeviceType device);

/// The state of the thread on which an operator's behaviour depends, besides its arguments.
struct Mode {
  bool gradients = true;
  bool inference = false;
  bool autocast = false;
  at::ScalarType autocastDtype = at::kFloat;
  /// Autocast on the host, for a step that computes on a device and on the host.
  bool hostAutocast = false;
  at::ScalarType hostAutocastDtype = at::kFloat;
  at::ScalarType defaultDtype = at::kFloat;
  bool deterministic = false;

  static Mode here(at::DeviceType device);
  bool operator==(const Mode& other) const = default;
};

/// Whether autograd computes a tensor's gradient, and whether a hook in JavaScript may change it.
struct GradientFlags {
  bool requiresGrad = false;
  bool hooked = false;

  static GradientFlags of(const at::Tensor& tensor);
  bool operator==(const GradientFlags& other) const = default;
};

/// A leaf that existed before the step, with its flags after the step: freezing a leaf or adding a hook calls
/// no operator.
struct Leaf {
  at::Tensor tensor;
  GradientFlags flags{};
};

/// A tensor that existed before the step and has another one's slot, because both lay in the same memory. A
/// replay is right only as long as they still do.
struct Shared {
  at::Tensor tensor;
  /// Whether this is about the gradient of `tensor`, not about `tensor` itself.
  bool isGradient = false;
  Slot slot = kNothing;
  Geometry geometry{};
};

/// The gradient of a leaf before and after a step.
struct LeafGradient {
  at::Tensor leaf;
  /// Whether the step depends on whether the leaf has a gradient when it begins, and whether it had one.
  bool matters = false;
  bool wasDefined = false;
  /// kNothing if the step leaves none.
  Slot result = kNothing;
};

struct Program {
  std::vector<Source> sources;
  std::vector<Instruction> instructions;
  std::vector<LeafGradient> gradients;
  std::vector<Leaf> leaves;
  std::vector<Shared> shared;
  /// The results that JavaScript gets.
  std::vector<Slot> results;
  /// Slots of inputs and kept tensors that an operator writes.
  std::vector<Slot> written;
  std::vector<Geometry> inputs;
  /// For each input, the first input with the same storage.
  std::vector<size_t> aliases;
  std::vector<GradientFlags> inputFlags;
  at::Device device = at::kCPU;
  Mode mode;
  bool draws = false;
};

/// For each tensor, the index of the first tensor with the same storage.
std::vector<size_t> aliasesOf(const std::vector<at::Tensor>& tensors);

/// Fills in the last uses of each instruction, once results and gradients are known.
void noteLastUses(Program& program);

}  // namespace mpslab::capture
