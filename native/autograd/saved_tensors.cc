// Hooks on the tensors that the graph saves for backward: JavaScript keeps something in place of a tensor,
// and gives a tensor back when backward asks.
#include "autograd/saved_tensors.h"

#include "addon/guard.h"
#include "addon/javascript_value.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

struct HookPair {
  std::shared_ptr<JavaScriptValue> pack;
  std::shared_ptr<JavaScriptValue> unpack;
};

/// The active hooks, the innermost last. Thread-local, because each environment runs on a thread of its own.
thread_local std::vector<HookPair> current;

/// Hides the open tidy scopes while a pack hook runs. The hook's tensors belong to the graph, so a scope
/// around the forward must not free them.
class OutsideTidyScopes {
 public:
  explicit OutsideTidyScopes(Environment& environment) : environment_(environment) {
    scopes_.swap(environment.scopes);
  }
  ~OutsideTidyScopes() {
    // A hook that was terminated may leave scopes of its own open.
    for (Link& scope : environment_.scopes) {
      while (scope.next != &scope) {
        auto* handle = static_cast<Handle*>(scope.next);
        handle->unlink();
        handle->scope = 0;
      }
    }
    scopes_.swap(environment_.scopes);
  }
  OutsideTidyScopes(const OutsideTidyScopes&) = delete;
  OutsideTidyScopes& operator=(const OutsideTidyScopes&) = delete;

 private:
  Environment& environment_;
  std::deque<Link> scopes_;
};

/// Stands in a node for one saved tensor.
class SavedByJavaScript : public torch::autograd::SavedVariableHooks {
 public:
  explicit SavedByJavaScript(HookPair hooks) : hooks_(std::move(hooks)) {}

  void call_pack_hook(const at::Tensor& tensor) override {
    Environment& environment = hooks_.pack->environment();
    Napi::HandleScope scope(environment.env);
    const OutsideTidyScopes outside(environment);
    // The tensor is detached, because a saved output would otherwise hold the node that holds it.
    const Napi::Value packed = hooks_.pack->call({wrap(environment, tensor.detach())});
    if (!packed.IsObject()) throwTypeError(environment, "A pack hook must return an object.");
    packed_ = std::make_unique<JavaScriptValue>(environment, packed);
  }

  at::Tensor call_unpack_hook() override {
    Environment& environment = hooks_.unpack->environment();
    Napi::HandleScope scope(environment.env);
    return tensorOf(environment, hooks_.unpack->call({packed_->get()}), "the unpack hook's result");
  }

 private:
  HookPair hooks_;
  std::unique_ptr<JavaScriptValue> packed_;
};

Napi::Value pushSavedTensorHooks(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction() || !info[1].IsFunction())
    throwTypeError(environment, "pushSavedTensorHooks(): expected two functions.");
  current.push_back({std::make_shared<JavaScriptValue>(environment, info[0]),
                     std::make_shared<JavaScriptValue>(environment, info[1])});
  return info.Env().Undefined();
}

Napi::Value popSavedTensorHooks(Environment&, const Napi::CallbackInfo& info) {
  if (!current.empty()) current.pop_back();
  return info.Env().Undefined();
}

}  // namespace

std::unique_ptr<torch::autograd::SavedVariableHooks> currentSavedTensorHooks() {
  if (current.empty()) return nullptr;
  return std::make_unique<SavedByJavaScript>(current.back());
}

void defineSavedTensors(Environment& environment, Napi::Object exports) {
  define<pushSavedTensorHooks>(environment, exports, "pushSavedTensorHooks");
  define<popSavedTensorHooks>(environment, exports, "popSavedTensorHooks");
}

}  // namespace mpslab
