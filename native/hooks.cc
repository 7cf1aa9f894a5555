// Hooks on gradients: JavaScript functions that the autograd engine calls during backward. Knows no operator.
#include "addon.h"
#include "guard.h"
#include "tensor.h"

namespace mpslab {
namespace {

/// A JavaScript function held by the graph, which may be freed in a collection: its reference waits for the
/// thread.
class Hook {
 public:
  Hook(Environment& environment, napi_value function) : environment_(&environment), dead_(environment.dead) {
    napi_create_reference(environment.env, function, 1, &reference_);
  }
  ~Hook() { dead_->add(reference_); }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  /// A JavaScript error passes through the engine as the C++ exception that it is here, and out of backward.
  at::Tensor operator()(const at::Tensor& gradient) const {
    Environment& environment = *environment_;
    Napi::HandleScope scope(environment.env);
    napi_value function;
    napi_get_reference_value(environment.env, reference_, &function);
    const Napi::Value replaced =
        Napi::Function(environment.env, function).Call({wrap(environment, gradient)});
    if (replaced.IsUndefined() || replaced.IsNull()) return {};
    return tensorOf(environment, replaced, "the hook's result");
  }

 private:
  Environment* environment_;
  std::shared_ptr<DeadReferences> dead_;
  napi_ref reference_ = nullptr;
};

Napi::Value registerHook(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Tensor& tensor = tensorOf(environment, info[0]);
  if (!tensor.requires_grad()) {
    throwTypeError(environment,
                   "registerHook(): the tensor does not require grad, so no gradient ever reaches it.");
  }
  if (!info[1].IsFunction()) throwTypeError(environment, "registerHook(): the hook must be a function.");
  auto hook = std::make_shared<Hook>(environment, info[1]);
  const unsigned number =
      tensor.register_hook([hook](const at::Tensor& gradient) { return (*hook)(gradient); });
  return Napi::Number::New(info.Env(), number);
}

Napi::Value removeHook(Environment& environment, const Napi::CallbackInfo& info) {
  tensorOf(environment, info[0]).remove_hook(info[1].ToNumber().Uint32Value());
  return info.Env().Undefined();
}

}  // namespace

void defineHooks(Environment& environment, Napi::Object exports) {
  define<registerHook>(environment, exports, "registerHook");
  define<removeHook>(environment, exports, "removeHook");
}

}  // namespace mpslab
