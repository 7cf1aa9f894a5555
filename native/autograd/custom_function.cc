// Runs functions whose derivative is written in JavaScript, as a graph node that calls it during backward.
// `lib/torch/autograd/function.ts` has the contexts and classes.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <unordered_set>

#include "addon/guard.h"
#include "addon/javascript_value.h"
#include "autograd/autograd_node.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;
using Outputs = std::vector<std::optional<at::Tensor>>;
using TensorSet = std::unordered_set<at::TensorImpl*>;

/// Null elements become undefined tensors.
variable_list toTensors(Environment& environment, Napi::Value list, const char* what) {
  if (!list.IsArray()) throwTypeError(environment, std::string("Expected ") + what + " to be an array.");
  const auto array = list.As<Napi::Array>();
  variable_list tensors;
  tensors.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value element = array.Get(i);
    tensors.push_back(element.IsNull() ? at::Tensor() : tensorOf(environment, element, what));
  }
  return tensors;
}

TensorSet toSet(const variable_list& tensors) {
  TensorSet set;
  for (const at::Tensor& tensor : tensors) set.insert(tensor.unsafeGetTensorImpl());
  return set;
}

/// Saves tensors as libtorch's own nodes do, not as JavaScript wrappers. If it held wrappers, a saved result
/// would hold the node that holds it, and freeing a chain of such functions would take one collection for
/// each.
struct ScriptNode : torch::autograd::Node {
  ScriptNode(std::string name, std::unique_ptr<JavaScriptValue> backward)
      : name_(std::move(name)), backward_(std::move(backward)) {}

  variable_list apply(variable_list&& gradients) override {
    Environment& environment = backward_->environment();
    Napi::HandleScope scope(environment.env);
    if (fillsGradients) fill(gradients);
    const Napi::Value result =
        backward_->call({wrapAll(environment, gradients), wrapAll(environment, unpack())});
    return toTensors(environment, result, "a gradient that backward returns");
  }

  void release_variables() override {
    released_ = released_ || !saved.empty();
    saved.clear();
  }

  std::string name() const override { return name_; }

  std::vector<SavedVariable> saved;
  std::vector<torch::autograd::VariableInfo> outputs;
  /// Whether gradients of unused outputs are passed as zeros, not as undefined.
  bool fillsGradients = true;

 private:
  void fill(variable_list& gradients) const {
    at::OptionalDeviceGuard guard;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) gradients[i] = outputs[i].zeros(guard);
    }
  }

  variable_list unpack() {
    TORCH_CHECK(!released_, torch::autograd::ERR_BACKWARD_TWICE);
    variable_list tensors;
    tensors.reserve(saved.size());
    for (const SavedVariable& variable : saved) tensors.push_back(variable.unpack(getptr()));
    return tensors;
  }

  const std::string name_;
  const std::unique_ptr<JavaScriptValue> backward_;
  bool released_ = false;
};

/// Attaches the node to the results, by libtorch's own rules for inputs that are returned, changed in place
/// or viewed. Since 2.15 libtorch's function also returns the node that it attached.
template <typename Held>
Outputs withHistory(const variable_list& inputs, const TensorSet& nonDifferentiable, const TensorSet& dirty,
                    const Outputs& results, const Held& node) {
  const torch::autograd::_jvp_fn_t forwardMode = [](const variable_list&,
                                                    const variable_list&) -> variable_list {
    TORCH_CHECK(false, "a function with its own backward has no forward-mode derivative");
  };
  const torch::autograd::_view_as_self_fn_t viewAsSelf = [](const at::Tensor& x) { return x.view_as(x); };
  Held attached;
  if constexpr (requires {
                  torch::autograd::_wrap_outputs(inputs, nonDifferentiable, dirty, results, node, forwardMode,
                                                 {}, viewAsSelf, false, attached);
                }) {
    return torch::autograd::_wrap_outputs(inputs, nonDifferentiable, dirty, results, node, forwardMode, {},
                                          viewAsSelf, false, attached);
  } else {
    return torch::autograd::_wrap_outputs(inputs, nonDifferentiable, dirty, results, node, forwardMode, {},
                                          viewAsSelf, false);
  }
}

/// What the forward function in TypeScript returned.
struct Forward {
  Napi::Array wrappers;
  Outputs results;
  variable_list saved;
  TensorSet nonDifferentiable;
  TensorSet dirty;
  bool fillsGradients;
};

Forward runForward(Environment& environment, const Napi::Function& forward) {
  const at::AutoGradMode withoutGrad(false);
  const at::AutoFwGradMode withoutForwardGrad(false);
  const auto given = forward.Call({}).As<Napi::Object>();
  Forward made;
  made.wrappers = given.Get("outputs").As<Napi::Array>();
  for (at::Tensor& output : toTensors(environment, made.wrappers, "an output")) {
    if (output.defined())
      made.results.emplace_back(std::move(output));
    else
      made.results.emplace_back();
  }
  made.saved = toTensors(environment, given.Get("saved"), "a saved tensor");
  made.nonDifferentiable = toSet(toTensors(environment, given.Get("nonDifferentiable"), "an output"));
  const variable_list dirty = toTensors(environment, given.Get("dirty"), "a changed input");
  for (const at::Tensor& tensor : dirty) tensor.unsafeGetTensorImpl()->bump_version();
  made.dirty = toSet(dirty);
  made.fillsGradients = given.Get("materializeGrads").ToBoolean();
  return made;
}

/// `customFunction(name, inputs, forward, backward)`: the outputs of `forward()`, behind a node whose
/// derivative is `backward(gradients, saved)`.
Napi::Value customFunction(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[2].IsFunction() || !info[3].IsFunction())
    throwTypeError(environment, "customFunction(): expected two functions.");
  const variable_list inputs = toTensors(environment, info[1], "an input");
  using Held = decltype(torch::autograd::Edge::function);
  Held held;
  ScriptNode* node = nullptr;
  if (at::GradMode::is_enabled() && torch::autograd::any_variable_requires_grad(inputs)) {
    auto made = makeNode<ScriptNode>(info[0].ToString().Utf8Value(),
                                     std::make_unique<JavaScriptValue>(environment, info[3]));
    node = made.get();
    held = std::move(made);
    held->set_next_edges(torch::autograd::collect_next_edges(inputs));
  }
  const Forward forward = runForward(environment, info[2].As<Napi::Function>());
  const Outputs outputs =
      withHistory(inputs, forward.nonDifferentiable, forward.dirty, forward.results, held);
  Napi::Array wrappers = Napi::Array::New(info.Env(), outputs.size());
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    const bool same = !outputs[i] || outputs[i]->is_same(*forward.results[i]);
    wrappers.Set(i, same ? Napi::Value(forward.wrappers.Get(i))
                         : Napi::Value(info.Env(), wrap(environment, *outputs[i])));
  }
  if (node == nullptr) return wrappers;
  node->fillsGradients = forward.fillsGradients;
  for (const auto& output : outputs) {
    if (output)
      node->outputs.emplace_back(*output);
    else
      node->outputs.emplace_back();
  }
  for (const at::Tensor& tensor : forward.saved)
    node->saved.emplace_back(tensor, tensor.defined() && tensor.grad_fn().get() == node);
  return wrappers;
}

}  // namespace

void defineCustomFunctions(Environment& environment, Napi::Object exports) {
  define<customFunction>(environment, exports, "customFunction");
}

}  // namespace mpslab
