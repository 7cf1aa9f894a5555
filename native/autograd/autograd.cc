// Computes gradients (backward, grad), and switches grad mode and inference mode.
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>

#include "addon/guard.h"
#include "autograd/anomaly.h"
#include "autograd/exports.h"
#include "memory/allocation_history.h"
#include "tensor/tensor.h"
#include "tensor/tensor_property.h"
#include "tensor/value.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

using torch::autograd::variable_list;

Napi::Value boolean(Environment& environment, bool value) {
  return Napi::Boolean::New(environment.env, value);
}

/// The name of a running backward in the memory history. What a node allocates has the node's name instead.
const std::string kBackward = "backward";

bool flag(const Napi::CallbackInfo& info, size_t index) { return info[index].ToBoolean(); }

/// A list of tensors; `null` stands for an undefined one where the list may hold it.
variable_list tensorsArgument(Environment& environment, Napi::Value value, const char* name,
                              bool mayHoldNull) {
  if (!value.IsArray())
    throwTypeError(environment, std::string("argument '") + name + "' must be an array of Tensors.");
  const auto list = value.As<Napi::Array>();
  variable_list tensors;
  tensors.reserve(list.Length());
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value element = list.Get(i);
    const bool none = element.IsNull() || element.IsUndefined();
    if (none && mayHoldNull) {
      tensors.emplace_back();
    } else {
      const std::string what = std::string("'") + name + "'[" + std::to_string(i) + "]";
      tensors.push_back(tensorOf(environment, element, what.c_str()));
    }
  }
  return tensors;
}

void checkOutputs(Environment& environment, const char* function, const variable_list& outputs,
                  const variable_list& gradients) {
  if (!gradients.empty() && gradients.size() != outputs.size()) {
    throwRangeError(environment, std::string(function) + "(): " + std::to_string(outputs.size()) +
                                     " tensors need as many gradients, but got " +
                                     std::to_string(gradients.size()) + ".");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& output = outputs[i];
    if (!output.requires_grad()) {
      throwTypeError(environment,
                     std::string(function) +
                         "(): the tensor does not require grad and has no grad_fn: compute it from tensors "
                         "with requiresGrad, outside noGrad.");
    }
    const bool given = !gradients.empty() && gradients[i].defined();
    if (!given && output.numel() != 1) {
      throwRangeError(
          environment,
          std::string(function) +
              "(): a gradient is made up only for a tensor of one element, but this one has shape " +
              describeShape(output.sizes()) + ": reduce it with sum() or mean(), or give a gradient.");
    }
  }
}

/// One run of the engine. libtorch executes the sixtieth nested run, and deeper ones, on another thread,
/// where no JavaScript can run; so such a run is refused.
class Run {
 public:
  Run(Environment& environment, const char* function, bool keepsGraph)
      : environment_(environment),
        entry_(environment.recorder, environment.recorder.backward(), environment.allocatedBytes()),
        running_(kBackward, true),
        outerKeepsGraph_(environment.keepsGraph) {
    if (depth_ >= torch::autograd::MAX_DEPTH) {
      throwRangeError(environment, std::string(function) + "(): " + std::to_string(depth_) +
                                       " calls stand inside one another, each in a hook or a function's own "
                                       "backward of the one before, and libtorch takes no more.");
    }
    noteBackward();
    ++depth_;
    environment.keepsGraph = keepsGraph;
  }
  ~Run() {
    --depth_;
    environment_.keepsGraph = outerKeepsGraph_;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  static thread_local int depth_;
  Environment& environment_;
  const FlightRecorder::Entry entry_;
  const RunningCall running_;
  const bool outerKeepsGraph_;
};

thread_local int Run::depth_ = 0;

/// Runs `work` in the engine. In anomaly mode, an error says where the node in which it arose was recorded.
template <typename Work>
void inEngine(Environment& environment, Work work) {
  forgetFailedNode();
  try {
    work();
  } catch (const Napi::Error& error) {
    tellFailedNode(environment, error, true);
    throw;
  } catch (...) {
    if (!torch::autograd::AnomalyMode::is_enabled()) throw;
    try {
      rethrowAsJavaScript(environment, {}, {});
    } catch (const Napi::Error& error) {
      tellFailedNode(environment, error, false);
      throw;
    }
  }
}

Napi::Value backward(Environment& environment, const Napi::CallbackInfo& info) {
  const variable_list tensors = tensorsArgument(environment, info[0], "tensors", false);
  const variable_list gradients = tensorsArgument(environment, info[1], "gradients", true);
  const variable_list inputs = tensorsArgument(environment, info[4], "inputs", false);
  checkOutputs(environment, "backward", tensors, gradients);
  const Run run(environment, "backward", flag(info, 2));
  inEngine(environment,
           [&] { torch::autograd::backward(tensors, gradients, flag(info, 2), flag(info, 3), inputs); });
  environment.checkObservers();
  environment.collectInTime();
  return info.Env().Undefined();
}

Napi::Value gradients(Environment& environment, const Napi::CallbackInfo& info) {
  const variable_list outputs = tensorsArgument(environment, info[0], "outputs", false);
  const variable_list inputs = tensorsArgument(environment, info[1], "inputs", false);
  const variable_list gradOutputs = tensorsArgument(environment, info[2], "gradOutputs", true);
  checkOutputs(environment, "grad", outputs, gradOutputs);
  const Run run(environment, "grad", flag(info, 3));
  variable_list results;
  inEngine(environment, [&] {
    results =
        torch::autograd::grad(outputs, inputs, gradOutputs, flag(info, 3), flag(info, 4), flag(info, 5));
  });
  environment.checkObservers();
  const Napi::Array array = wrapAll(environment, results);
  environment.collectInTime();
  return array;
}

Napi::Value requiresGrad(Environment& environment, Handle& handle) {
  return boolean(environment, tensorOf(environment, handle).requires_grad());
}

Napi::Value setRequiresGrad(Environment& environment, const Napi::CallbackInfo& info) {
  at::Tensor& tensor = tensorOf(environment, info[0]);
  const bool value = flag(info, 1);
  if (value && !torch::autograd::isDifferentiableType(tensor.scalar_type())) {
    throwTypeError(environment,
                   "requiresGrad: only tensors of floating point or complex dtype can require gradients, but "
                   "this one is " +
                       std::string(dtypeName(tensor.scalar_type())) + ": convert it with .to(\"float32\").");
  }
  if (!value && !tensor.is_leaf()) {
    throwTypeError(environment,
                   "requiresGrad: only a leaf tensor can stop requiring gradients: use detach().");
  }
  tensor.requires_grad_(value);
  return info.Env().Undefined();
}

Napi::Value isLeaf(Environment& environment, Handle& handle) {
  return boolean(environment, tensorOf(environment, handle).is_leaf());
}

Napi::Value gradFnName(Environment& environment, const Napi::CallbackInfo& info) {
  const auto& node = tensorOf(environment, info[0]).grad_fn();
  return node ? Napi::Value(Napi::String::New(info.Env(), node->name())) : info.Env().Null();
}

Napi::Value grad(Environment& environment, const Napi::CallbackInfo& info) {
  return {info.Env(), wrapGradient(environment, tensorOf(environment, info[0]).grad())};
}

Napi::Value ownGrad(Environment& environment, const Napi::CallbackInfo& info) {
  return {info.Env(), wrap(environment, tensorOf(environment, info[0]).grad())};
}

Napi::Value setGrad(Environment& environment, const Napi::CallbackInfo& info) {
  at::Tensor& tensor = tensorOf(environment, info[0]);
  if (environment.capture) {
    const at::Tensor& before = tensor.grad();
    environment.capture->replacedGradients.try_emplace(
        tensor.unsafeGetTensorImpl(), before.defined() ? before.unsafeGetTensorImpl() : nullptr);
  }
  if (info[1].IsNull() || info[1].IsUndefined()) {
    tensor.mutable_grad().reset();
    environment.collectInTime();
    return info.Env().Undefined();
  }
  const at::Tensor& value = tensorOf(environment, info[1], "grad");
  if (!value.sizes().equals(tensor.sizes())) {
    throwRangeError(environment, "grad: a gradient has its tensor's shape " + describeShape(tensor.sizes()) +
                                     ", but got " + describeShape(value.sizes()) + ".");
  }
  if (value.scalar_type() != tensor.scalar_type()) {
    throwTypeError(environment, "grad: a gradient has its tensor's dtype " +
                                    std::string(dtypeName(tensor.scalar_type())) + ", but got " +
                                    std::string(dtypeName(value.scalar_type())) + ".");
  }
  if (value.device() != tensor.device()) {
    throwError(environment, ErrorClass::DeviceMismatch,
               "grad: a gradient is on its tensor's device " + tensor.device().str() + ", but got one on " +
                   value.device().str() + ".");
  }
  tensor.mutable_grad() = value;
  noteGradient(environment, info[1]);
  return info.Env().Undefined();
}

Napi::Value retainGrad(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  if (!tensor.requires_grad()) throwTypeError(environment, "retainGrad(): the tensor does not require grad.");
  tensor.retain_grad();
  return info.Env().Undefined();
}

Napi::Value retainsGrad(Environment& environment, const Napi::CallbackInfo& info) {
  return boolean(environment, tensorOf(environment, info[0]).retains_grad());
}

Napi::Value outputNr(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(tensorOf(environment, info[0]).output_nr()));
}

Napi::Value gradEnabled(Environment& environment, const Napi::CallbackInfo&) {
  return boolean(environment, at::GradMode::is_enabled());
}

Napi::Value setGradEnabled(Environment&, const Napi::CallbackInfo& info) {
  at::GradMode::set_enabled(flag(info, 0));
  return info.Env().Undefined();
}

Napi::Value inferenceMode(Environment& environment, const Napi::CallbackInfo&) {
  return boolean(environment, environment.inference.has_value());
}

Napi::Value setInferenceMode(Environment& environment, const Napi::CallbackInfo& info) {
  const bool enabled = flag(info, 0);
  if (enabled && !environment.inference) environment.inference.emplace(true);
  if (!enabled) environment.inference.reset();
  // Entering or leaving inference mode resets the setting of the engine's threads. Hooks must go on running
  // on this thread.
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  return info.Env().Undefined();
}

}  // namespace

void defineAutograd(Environment& environment, Napi::Object exports) {
  // Otherwise the engine would run the nodes of a device on a thread of that device. A hook is JavaScript, so
  // it would wait there for JavaScript's thread, which waits for backward: a deadlock.
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  define<backward>(environment, exports, "backward");
  define<gradients>(environment, exports, "gradients");
  defineProperty<requiresGrad>(environment, exports, "requiresGrad");
  define<setRequiresGrad>(environment, exports, "setRequiresGrad");
  defineProperty<isLeaf>(environment, exports, "isLeaf");
  define<gradFnName>(environment, exports, "gradFnName");
  define<grad>(environment, exports, "grad");
  define<ownGrad>(environment, exports, "ownGrad");
  define<setGrad>(environment, exports, "setGrad");
  define<retainGrad>(environment, exports, "retainGrad");
  define<retainsGrad>(environment, exports, "retainsGrad");
  define<outputNr>(environment, exports, "outputNr");
  define<gradEnabled>(environment, exports, "gradEnabled");
  define<setGradEnabled>(environment, exports, "setGradEnabled");
  define<inferenceMode>(environment, exports, "inferenceMode");
  define<setInferenceMode>(environment, exports, "setInferenceMode");
}

}  // namespace mpslab
