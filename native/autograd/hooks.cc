// Hooks on gradients: JavaScript functions that the autograd engine calls during backward.
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "addon/guard.h"
#include "addon/javascript_value.h"
#include "autograd/autograd_node.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

constexpr const char* kHooks =
    "a tensor's hook is JavaScript, which a replay does not run: remove the hook, or change the gradient in "
    "the step "
    "between backward() and the optimizer's step()";

/// A hook that captures its own tensor, or a later result, holds the graph that holds the hook: a ring that
/// no collector sees. So once a backward has freed the graph, this addon holds the function only weakly, and
/// the tensor's wrapper keeps it alive (`lib/torch/autograd/autograd.ts`). If no backward runs, the same is
/// done for the time of each full collection: see `loosenHooks`.
at::Tensor replacedBy(JavaScriptValue& hook, const at::Tensor& gradient) {
  Environment& environment = hook.environment();
  environment.refuseInCapture(kHooks);
  Napi::HandleScope scope(environment.env);
  const Napi::Value replaced = hook.call({wrap(environment, gradient)});
  if (!environment.keepsGraph) hook.weaken();
  if (replaced.IsUndefined() || replaced.IsNull()) return {};
  return tensorOf(environment, replaced, "the hook's result");
}

void remember(Environment& environment, const at::Tensor& tensor,
              const std::shared_ptr<JavaScriptValue>& function) {
  std::erase_if(environment.tensorHooks, [](const auto& hook) { return hook.function.expired(); });
  environment.tensorHooks.push_back(
      {c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), function});
}

/// Whether only JavaScript's wrapper leads to the tensor's hooks: no graph needs the tensor or the node that
/// made it. The caller's own reference is not counted.
bool wrapperAloneHolds(const at::Tensor& tensor) {
  constexpr size_t kWrapperAndCaller = 2;
  if (tensor.use_count() != kWrapperAndCaller) return false;
  const auto& made = tensor.grad_fn();
  return !made || made.use_count() == 1;
}

/// Runs before a full collection. A hook's function that only the tensor's wrapper leads to is then held by
/// that wrapper only, so V8 recognizes the ring of function, wrapper and tensor as garbage.
Napi::Value loosenHooks(Environment& environment, const Napi::CallbackInfo& info) {
  for (const auto& [weakTensor, weakFunction] : environment.tensorHooks) {
    const auto function = weakFunction.lock();
    auto impl = weakTensor.lock();
    if (function && impl && wrapperAloneHolds(at::Tensor(std::move(impl)))) function->loosen();
  }
  return info.Env().Undefined();
}

/// Runs after the collection. The functions that are left are held by their tensors again, because a graph
/// may need them.
Napi::Value tightenHooks(Environment& environment, const Napi::CallbackInfo& info) {
  for (const auto& hook : environment.tensorHooks) {
    if (const auto function = hook.function.lock()) function->tighten();
  }
  return info.Env().Undefined();
}

Napi::Value registerHook(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  if (!tensor.requires_grad()) {
    throwTypeError(environment,
                   "registerHook(): the tensor does not require grad, so no gradient ever reaches it.");
  }
  if (!info[1].IsFunction()) throwTypeError(environment, "registerHook(): the hook must be a function.");
  auto hook = std::make_shared<JavaScriptValue>(environment, info[1]);
  remember(environment, tensor, hook);
  const unsigned number =
      tensor.register_hook([hook](const at::Tensor& gradient) { return replacedBy(*hook, gradient); });
  return Napi::Number::New(info.Env(), number);
}

Napi::Value removeHook(Environment& environment, const Napi::CallbackInfo& info) {
  tensorOf(environment, info[0]).remove_hook(info[1].ToNumber().Uint32Value());
  return info.Env().Undefined();
}

/// A leaf's hooks that run after its gradient was accumulated, in the order of their registration. They are
/// called with the wrapper that they were registered on. It is held weakly, because the tensor holds the
/// hooks.
class AfterAccumulation : public torch::autograd::PostAccumulateGradHook {
 public:
  AfterAccumulation(Environment& environment, napi_value wrapper) : environment_(environment) {
    napi_create_reference(environment.env, wrapper, 0, &wrapper_);
  }
  ~AfterAccumulation() override { dead_->add(wrapper_); }
  AfterAccumulation(const AfterAccumulation&) = delete;
  AfterAccumulation& operator=(const AfterAccumulation&) = delete;

  unsigned add(const at::Tensor& leaf, napi_value hook) {
    hooks_.emplace_back(next_, std::make_shared<JavaScriptValue>(environment_, hook));
    remember(environment_, leaf, hooks_.back().second);
    return next_++;
  }
  /// Returns whether no hook is left.
  bool remove(unsigned number) {
    std::erase_if(hooks_, [&](const auto& hook) { return hook.first == number; });
    return hooks_.empty();
  }

  void operator()(const at::Tensor& leaf) override {
    environment_.refuseInCapture(kHooks);
    Napi::HandleScope scope(environment_.env);
    napi_value wrapper = nullptr;
    napi_get_reference_value(environment_.env, wrapper_, &wrapper);
    if (wrapper == nullptr) wrapper = wrap(environment_, leaf);
    // The list is copied, because a hook may remove itself; removing the last one destroys this object.
    for (const auto& [number, hook] : std::vector(hooks_)) hook->call({wrapper});
  }

 private:
  Environment& environment_;
  const std::shared_ptr<DeadReferences> dead_ = environment_.dead;
  napi_ref wrapper_ = nullptr;
  unsigned next_ = 0;
  std::vector<std::pair<unsigned, std::shared_ptr<JavaScriptValue>>> hooks_;
};

AfterAccumulation* hooksAfterAccumulation(const at::Tensor& tensor) {
  return dynamic_cast<AfterAccumulation*>(torch::autograd::impl::post_acc_grad_hooks(tensor).get());
}

Napi::Value registerPostAccumulateGradHook(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  AfterAccumulation* hooks = hooksAfterAccumulation(tensor);
  if (hooks == nullptr) {
    auto made = std::make_unique<AfterAccumulation>(environment, info[0]);
    hooks = made.get();
    torch::autograd::impl::set_post_acc_grad_hooks(tensor, std::move(made));
  }
  return Napi::Number::New(info.Env(), hooks->add(tensor, info[1]));
}

Napi::Value removePostAccumulateGradHook(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  AfterAccumulation* hooks = hooksAfterAccumulation(tensor);
  if (hooks != nullptr && hooks->remove(info[1].ToNumber().Uint32Value()))
    torch::autograd::impl::set_post_acc_grad_hooks(tensor, nullptr);
  return info.Env().Undefined();
}

/// A node that passes its inputs on as they are, and shows JavaScript all of their gradients at once.
struct IdentityNode : torch::autograd::Node {
  explicit IdentityNode(std::unique_ptr<JavaScriptValue> hook) : hook_(std::move(hook)) {}

  /// The hook holds its module's inputs, and through them the graph that made these.
  void release_variables() override { hook_.reset(); }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    TORCH_CHECK(hook_, torch::autograd::ERR_BACKWARD_TWICE);
    Environment& environment = hook_->environment();
    Napi::HandleScope scope(environment.env);
    const Napi::Value result = hook_->call({wrapAll(environment, gradients)});
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

  std::string name() const override { return "BackwardHookFunctionBackward"; }

 private:
  std::unique_ptr<JavaScriptValue> hook_;
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
  auto node = makeNode<IdentityNode>(std::make_unique<JavaScriptValue>(environment, info[1]));
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  Napi::Array outputs = Napi::Array::New(info.Env(), inputs.size());
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    at::Tensor output;
    {
      // The alias is neither recorded nor known as a view, so only the node says where the gradient goes.
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
  define<registerPostAccumulateGradHook>(environment, exports, "registerPostAccumulateGradHook");
  define<removePostAccumulateGradHook>(environment, exports, "removePostAccumulateGradHook");
  define<loosenHooks>(environment, exports, "loosenHooks");
  define<tightenHooks>(environment, exports, "tightenHooks");
  define<identity>(environment, exports, "identity");
}

}  // namespace mpslab
