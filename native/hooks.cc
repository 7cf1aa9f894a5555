// Hooks on gradients: JavaScript functions that the autograd engine calls during backward. Knows no operator.
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "addon.h"
#include "autograd_node.h"
#include "guard.h"
#include "javascript_value.h"
#include "tensor.h"

namespace mpslab {
namespace {

at::Tensor replacedBy(const JavaScriptValue& hook, const at::Tensor& gradient) {
  Environment& environment = hook.environment();
  Napi::HandleScope scope(environment.env);
  const Napi::Value replaced = hook.call({wrap(environment, gradient)});
  if (replaced.IsUndefined() || replaced.IsNull()) return {};
  return tensorOf(environment, replaced, "the hook's result");
}

Napi::Value registerHook(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  if (!tensor.requires_grad()) {
    throwTypeError(environment,
                   "registerHook(): the tensor does not require grad, so no gradient ever reaches it.");
  }
  if (!info[1].IsFunction()) throwTypeError(environment, "registerHook(): the hook must be a function.");
  auto hook = std::make_shared<JavaScriptValue>(environment, info[1]);
  const unsigned number =
      tensor.register_hook([hook](const at::Tensor& gradient) { return replacedBy(*hook, gradient); });
  return Napi::Number::New(info.Env(), number);
}

Napi::Value removeHook(Environment& environment, const Napi::CallbackInfo& info) {
  tensorOf(environment, info[0]).remove_hook(info[1].ToNumber().Uint32Value());
  return info.Env().Undefined();
}

/// A node that passes its inputs on as they are, and shows JavaScript all of their gradients at once.
struct IdentityNode : torch::autograd::Node {
  explicit IdentityNode(std::shared_ptr<JavaScriptValue> hook) : hook_(std::move(hook)) {}

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    Environment& environment = hook_->environment();
    Napi::HandleScope scope(environment.env);
    Napi::Array seen = Napi::Array::New(environment.env, gradients.size());
    for (uint32_t i = 0; i < gradients.size(); ++i)
      seen.Set(i, gradients[i].defined() ? Napi::Value(environment.env, wrap(environment, gradients[i]))
                                         : Napi::Env(environment.env).Null());
    const Napi::Value result = hook_->call({seen});
    torch::autograd::variable_list passed;
    for (uint32_t i = 0; i < gradients.size(); ++i) {
      const Napi::Value element = result.As<Napi::Array>().Get(i);
      if (element.IsNull() || element.IsUndefined())
        passed.emplace_back();
      else
        passed.push_back(tensorOf(environment, element, "the hook's result"));
    }
    return passed;
  }

  std::string name() const override { return "ModuleHookBackward"; }

 private:
  std::shared_ptr<JavaScriptValue> hook_;
};

/// `identity(tensors, hook)`: tensors over the same memory, behind one node whose gradients go through
/// `hook`.
Napi::Value identity(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsArray() || !info[1].IsFunction())
    throwTypeError(environment, "identity(): expected an array of Tensors and a function.");
  const auto list = info[0].As<Napi::Array>();
  torch::autograd::variable_list inputs;
  for (uint32_t i = 0; i < list.Length(); ++i)
    inputs.push_back(tensorOf(environment, Napi::Value(list.Get(i)), "an element"));
  auto node = makeNode<IdentityNode>(std::make_shared<JavaScriptValue>(environment, info[1]));
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  Napi::Array outputs = Napi::Array::New(info.Env(), inputs.size());
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    at::Tensor output;
    {
      // Neither recorded nor known as a view: the node alone says where the gradient goes.
      at::AutoDispatchBelowADInplaceOrView below;
      output = inputs[i].alias();
    }
    torch::autograd::set_history(output, node);
    outputs.Set(i, Napi::Value(info.Env(), wrap(environment, output)));
  }
  return outputs;
}

}  // namespace

void defineHooks(Environment& environment, Napi::Object exports) {
  define<registerHook>(environment, exports, "registerHook");
  define<removeHook>(environment, exports, "removeHook");
  define<identity>(environment, exports, "identity");
}

}  // namespace mpslab
