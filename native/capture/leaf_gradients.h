// Which leaves' gradients a step sets, clears or adds to.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "addon/environment.h"
#include "capture/known_tensors.h"

namespace mpslab::capture {

class LeafGradients {
 public:
  /// Notes the gradients that are there when the step begins.
  LeafGradients(Environment& environment, KnownTensors& known);

  /// Adds to the program what the step did to them. `written` are the slots that operators wrote.
  void finish(Program& program, const std::unordered_set<Slot>& written);

 private:
  Environment& environment_;
  KnownTensors& known_;
  /// The gradient of each leaf, nullptr for none.
  std::unordered_map<const at::TensorImpl*, const at::TensorImpl*> before_;
};

}  // namespace mpslab::capture
