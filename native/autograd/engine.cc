// Overrides what libtorch's engine leaves to the language: the hooks of saved tensors, and the metadata of
// anomaly mode.
#include "autograd/engine.h"

#include <torch/csrc/autograd/engine.h>

#include "autograd/anomaly.h"
#include "autograd/saved_tensors.h"

namespace mpslab {
namespace {

struct Engine : torch::autograd::Engine {
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    return currentSavedTensorHooks();
  }

  std::unique_ptr<torch::autograd::AnomalyMetadata> make_anomaly_metadata() override {
    return makeForwardPlace();
  }

  /// Never destroyed: the engine's threads may still wait when the process ends.
  static torch::autograd::Engine& instance() {
    static Engine* engine = std::make_unique<Engine>().release();
    return *engine;
  }
};

}  // namespace

void installEngine() { torch::autograd::set_default_engine_stub(&Engine::instance); }

}  // namespace mpslab
