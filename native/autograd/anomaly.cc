// Records where nodes were made, and which node failed in a backward. `lib/torch/autograd/anomaly.ts` words
// the error.
#include "autograd/anomaly.h"

#include <torch/csrc/autograd/function.h>

#include <optional>

#include "addon/call_site.h"
#include "addon/guard.h"
#include "autograd/exports.h"
#include "autograd/graph_node.h"

namespace mpslab {
namespace {

using torch::autograd::AnomalyMode;

struct FailedNode {
  std::string name;
  std::string recordedAt;
  /// With `createGraph`, the node of an earlier backward during which this node was recorded.
  std::string parentName;
  std::string parentRecordedAt;
};

thread_local std::optional<FailedNode> failed;

class ForwardPlace : public torch::autograd::AnomalyMetadata {
 public:
  void store_stack() override { recordedAt_ = callSite(); }
  void assign_parent(const HeldNode& parent) override { parent_ = parent; }

  /// The engine calls it for the node whose evaluation threw; libtorch's own prints a warning.
  void print_stack(const std::string& name) override {
    failed = FailedNode{name, recordedAt_, {}, {}};
    if (!parent_) return;
    failed->parentName = parent_->name();
    if (const auto* place = dynamic_cast<const ForwardPlace*>(parent_->metadata()))
      failed->parentRecordedAt = place->recordedAt_;
  }

 private:
  std::string recordedAt_;
  HeldNode parent_;
};

Napi::Value setAnomalyMode(Environment&, const Napi::CallbackInfo& info) {
  AnomalyMode::set_enabled(info[0].ToBoolean(), info[1].ToBoolean());
  return info.Env().Undefined();
}

Napi::Value anomalyMode(Environment&, const Napi::CallbackInfo& info) {
  Napi::Object mode = Napi::Object::New(info.Env());
  mode.Set("enabled", AnomalyMode::is_enabled());
  mode.Set("checkNan", AnomalyMode::should_check_nan());
  return mode;
}

Napi::Value setAnomalyFormatter(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setAnomalyFormatter(): expected a function.");
  napi_create_reference(environment.env, info[0], 1, &environment.anomalyFormatter);
  return info.Env().Undefined();
}

}  // namespace

std::unique_ptr<torch::autograd::AnomalyMetadata> makeForwardPlace() {
  return std::make_unique<ForwardPlace>();
}

void forgetFailedNode() { failed.reset(); }

void tellFailedNode(Environment& environment, const Napi::Error& error, bool isOfUser) {
  if (!failed || environment.anomalyFormatter == nullptr) return;
  const FailedNode node = *std::exchange(failed, {});
  const napi_env env = environment.env;
  napi_value function = nullptr;
  napi_get_reference_value(env, environment.anomalyFormatter, &function);
  Napi::Object nodeObject = Napi::Object::New(env);
  nodeObject.Set("name", node.name);
  nodeObject.Set("recordedAt", node.recordedAt);
  nodeObject.Set("parentName", node.parentName);
  nodeObject.Set("parentRecordedAt", node.parentRecordedAt);
  Napi::Function(env, function).Call({error.Value(), nodeObject, Napi::Boolean::New(env, isOfUser)});
}

void defineAnomaly(Environment& environment, Napi::Object exports) {
  define<setAnomalyMode>(environment, exports, "setAnomalyMode");
  define<anomalyMode>(environment, exports, "anomalyMode");
  define<setAnomalyFormatter>(environment, exports, "setAnomalyFormatter");
}

}  // namespace mpslab
