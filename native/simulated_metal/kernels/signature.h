// Remembers the shapes of results by the signature of a call: shapes, strides, dtypes and numbers, not
// elements. Calls with a known signature are queued.
#pragma once
#include <ATen/core/stack.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "simulated_metal/kernels/operator_plan.h"

namespace mpslab::metal {

struct Shape {
  bool defined = false;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  at::ScalarType dtype = at::kFloat;

  static Shape of(const at::Tensor& tensor);
};

/// One for each result that is new or `out=`, in the schema's order.
using Shapes = std::vector<Shape>;

class Signatures {
 public:
  /// The text of a call's signature. The view is valid until the next call on this thread.
  static std::string_view write(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

  const Shapes* find(std::string_view signature) const;
  const Shapes* keep(std::string_view signature, Shapes shapes);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, Shapes, Hash, std::equal_to<>> shapes_;
};

}  // namespace mpslab::metal
