// Hooks on the tensors that the graph saves for backward. Checkpoints are made of them.
#pragma once
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>

namespace mpslab {

/// Returns the hooks that are active on this thread, null if there are none.
std::unique_ptr<torch::autograd::SavedVariableHooks> currentSavedTensorHooks();

}  // namespace mpslab
