// A JavaScript value that the autograd graph holds. The graph may be freed in a collection, where references
// cannot be deleted, so the reference is queued for its thread.
#pragma once
#include <napi.h>

#include <memory>

#include "addon/environment.h"

namespace mpslab {

class JavaScriptValue {
 public:
  JavaScriptValue(Environment& environment, napi_value value)
      : environment_(&environment), dead_(environment.dead) {
    napi_create_reference(environment.env, value, 1, &reference_);
  }
  ~JavaScriptValue() { dead_->add(reference_); }
  JavaScriptValue(const JavaScriptValue&) = delete;
  JavaScriptValue& operator=(const JavaScriptValue&) = delete;

  Environment& environment() const { return *environment_; }
  napi_value get() const {
    napi_value value = nullptr;
    napi_get_reference_value(environment_->env, reference_, &value);
    return value;
  }

  /// From now on this object no longer keeps the value alive. Once the value was collected, `get` returns
  /// nullptr and `call` does nothing.
  void weaken() {
    if (weak_) return;
    weak_ = true;
    uint32_t count;
    napi_reference_unref(environment_->env, reference_, &count);
  }

  /// Makes the reference weak for the time of a collection; `tighten` makes it strong again.
  void loosen() {
    if (weak_ || loose_) return;
    loose_ = true;
    uint32_t count;
    napi_reference_unref(environment_->env, reference_, &count);
  }
  void tighten() {
    if (!loose_) return;
    loose_ = false;
    uint32_t count;
    if (get() != nullptr) napi_reference_ref(environment_->env, reference_, &count);
  }

  /// If the function throws, the JavaScript error passes as a C++ exception through libtorch's engine and out
  /// of backward.
  Napi::Value call(std::initializer_list<napi_value> arguments) const {
    const napi_value function = get();
    if (function == nullptr) return Napi::Env(environment_->env).Undefined();
    return Napi::Function(environment_->env, function).Call(arguments);
  }

 private:
  Environment* environment_;
  std::shared_ptr<DeadReferences> dead_;
  napi_ref reference_ = nullptr;
  bool weak_ = false;
  bool loose_ = false;
};

}  // namespace mpslab
