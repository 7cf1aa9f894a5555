// Names, edges and hooks of graph nodes, for JavaScript.
#include "autograd/graph_node.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>

#include "addon/guard.h"
#include "addon/javascript_value.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {

using torch::autograd::Node;
using torch::autograd::variable_list;

struct GraphNodes::Entry {
  HeldNode node;
  std::shared_ptr<Entries> entries;
  std::shared_ptr<DeadReferences> dead;
  napi_ref weak = nullptr;
};

/// A basic finalizer, which runs inside the collection: the graph behind the node is freed at once, as a
/// tensor's memory is.
void GraphNodes::finalize(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<Entry> entry(static_cast<Entry*>(data));
  auto& [byNode, all] = *entry->entries;
  all.erase(entry.get());
  const auto found = byNode.find(entry->node.get());
  if (found != byNode.end() && found->second == entry.get()) byNode.erase(found);
  entry->dead->add(entry->weak);
}

napi_value GraphNodes::wrap(Environment& environment, const HeldNode& node) {
  const napi_env env = environment.env;
  napi_value object = nullptr;
  if (!node) {
    napi_get_null(env, &object);
    return object;
  }
  const auto found = entries_->byNode.find(node.get());
  if (found != entries_->byNode.end()) napi_get_reference_value(env, found->second->weak, &object);
  if (object != nullptr) return object;
  napi_value constructor;
  napi_get_reference_value(env, nodeClass, &constructor);
  if (napi_new_instance(env, constructor, 0, nullptr, &object) != napi_ok) throw Napi::Error::New(env);
  auto entry = std::make_unique<Entry>(Entry{node, entries_, environment.dead});
  Entry* held = entry.get();
  if (napi_wrap(env, object, held, finalize, nullptr, nullptr) != napi_ok) throw Napi::Error::New(env);
  entries_->byNode[node.get()] = entry.release();
  entries_->all.insert(held);
  napi_create_reference(env, object, 0, &held->weak);
  return object;
}

Node& GraphNodes::at(Environment& environment, napi_value value) const {
  void* data = nullptr;
  if (napi_unwrap(environment.env, value, &data) != napi_ok || !entries_->all.contains(data))
    throwTypeError(environment, "Expected a node of the graph, as x.gradFn gives it.");
  return *static_cast<Entry*>(data)->node;
}

namespace {

/// Returns the gradients that a hook gives in place of those that it received. A hook that returns nothing
/// leaves them unchanged.
variable_list replacements(Environment& environment, Napi::Value given, const variable_list& shown) {
  if (given.IsUndefined() || given.IsNull()) return shown;
  if (!given.IsArray() || given.As<Napi::Array>().Length() != shown.size()) {
    throwTypeError(environment, "A hook of a node returns an array of " + std::to_string(shown.size()) +
                                    " gradients, one for each that it was given, or nothing.");
  }
  variable_list replaced;
  for (uint32_t i = 0; i < shown.size(); ++i) {
    const Napi::Value gradient = given.As<Napi::Array>().Get(i);
    replaced.push_back(gradient.IsNull() ? at::Tensor()
                                         : tensorOf(environment, gradient, "the hook's gradient"));
  }
  return replaced;
}

class Before : public torch::autograd::FunctionPreHook {
 public:
  Before(Environment& environment, napi_value hook) : hook_(environment, hook) {}
  variable_list operator()(const variable_list& gradOutputs) override {
    Environment& environment = hook_.environment();
    Napi::HandleScope scope(environment.env);
    return replacements(environment, hook_.call({wrapAll(environment, gradOutputs)}), gradOutputs);
  }

 private:
  JavaScriptValue hook_;
};

class After : public torch::autograd::FunctionPostHook {
 public:
  After(Environment& environment, napi_value hook) : hook_(environment, hook) {}
  variable_list operator()(const variable_list& gradInputs, const variable_list& gradOutputs) override {
    Environment& environment = hook_.environment();
    Napi::HandleScope scope(environment.env);
    const Napi::Value given =
        hook_.call({wrapAll(environment, gradInputs), wrapAll(environment, gradOutputs)});
    return replacements(environment, given, gradInputs);
  }

 private:
  JavaScriptValue hook_;
};

Node& nodeOf(Environment& environment, const Napi::CallbackInfo& info) {
  return environment.graphNodes->at(environment, info[0]);
}

Napi::Value setNodeClass(Environment& environment, const Napi::CallbackInfo& info) {
  napi_create_reference(environment.env, info[0], 1, &environment.graphNodes->nodeClass);
  return info.Env().Undefined();
}

Napi::Value gradFn(Environment& environment, const Napi::CallbackInfo& info) {
  return {info.Env(), environment.graphNodes->wrap(environment, tensorOf(environment, info[0]).grad_fn())};
}

Napi::Value nodeName(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), nodeOf(environment, info).name());
}

/// Returns `[[node, number], ...]`. The number counts the node's inputs, which are the gradients of the
/// outputs of its operator.
Napi::Value nextFunctions(Environment& environment, const Napi::CallbackInfo& info) {
  const auto& edges = nodeOf(environment, info).next_edges();
  Napi::Array pairs = Napi::Array::New(info.Env(), edges.size());
  for (uint32_t i = 0; i < edges.size(); ++i) {
    Napi::Array pair = Napi::Array::New(info.Env(), 2);
    pair.Set(0u, Napi::Value(info.Env(), environment.graphNodes->wrap(environment, edges[i].function)));
    pair.Set(1u, Napi::Number::New(info.Env(), edges[i].input_nr));
    pairs.Set(i, pair);
  }
  return pairs;
}

/// The leaf whose gradient a node gathers, null for any other node.
Napi::Value nodeVariable(Environment& environment, const Napi::CallbackInfo& info) {
  const auto* gathers = dynamic_cast<torch::autograd::AccumulateGrad*>(&nodeOf(environment, info));
  if (gathers == nullptr) return info.Env().Null();
  return {info.Env(), wrap(environment, gathers->variable)};
}

/// A hook's address identifies it. JavaScript passes it back to remove the hook.
Napi::Value key(Napi::Env env, const void* hook) {
  return Napi::BigInt::New(env, reinterpret_cast<uint64_t>(hook));
}

Napi::Value addNodeHook(Environment& environment, const Napi::CallbackInfo& info) {
  auto hook = std::make_unique<After>(environment, info[1]);
  const After* added = hook.get();
  nodeOf(environment, info).add_post_hook(std::move(hook));
  return key(info.Env(), static_cast<const torch::autograd::FunctionPostHook*>(added));
}

Napi::Value addNodePrehook(Environment& environment, const Napi::CallbackInfo& info) {
  auto hook = std::make_unique<Before>(environment, info[1]);
  const Before* added = hook.get();
  nodeOf(environment, info).add_pre_hook(std::move(hook));
  return key(info.Env(), static_cast<const torch::autograd::FunctionPreHook*>(added));
}

template <typename Hooks>
void removeFrom(Hooks& hooks, uint64_t address) {
  std::erase_if(hooks, [&](const auto& hook) { return reinterpret_cast<uint64_t>(hook.get()) == address; });
}

Napi::Value removeNodeHook(Environment& environment, const Napi::CallbackInfo& info) {
  bool lossless = false;
  const uint64_t address = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
  Node& node = nodeOf(environment, info);
  removeFrom(node.post_hooks(), address);
  removeFrom(node.pre_hooks(), address);
  return info.Env().Undefined();
}

}  // namespace

void defineGraphNodes(Environment& environment, Napi::Object exports) {
  environment.graphNodes = std::make_shared<GraphNodes>();
  define<setNodeClass>(environment, exports, "setNodeClass");
  define<gradFn>(environment, exports, "gradFn");
  define<nodeName>(environment, exports, "nodeName");
  define<nextFunctions>(environment, exports, "nextFunctions");
  define<nodeVariable>(environment, exports, "nodeVariable");
  define<addNodeHook>(environment, exports, "addNodeHook");
  define<addNodePrehook>(environment, exports, "addNodePrehook");
  define<removeNodeHook>(environment, exports, "removeNodeHook");
}

}  // namespace mpslab
