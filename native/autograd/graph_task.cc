// Answers the hooks' questions about the running backward: its number, and for which tensors it computes
// gradients. Source: torch/csrc/autograd/init.cpp (`_will_engine_execute_node`).
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/variable.h>

#include "addon/guard.h"
#include "autograd/autograd_node.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

using torch::autograd::Node;

/// The places where the gradients of some tensors accumulate. They are held weakly: a hook on a node refers
/// to this object, and would otherwise hold the graph that holds the hook.
struct Destinations {
  /// Tensors that operations made, by their node and output.
  std::vector<WeakNode> nodes;
  /// Leaves, whose nodes come and go with the graphs.
  std::vector<c10::weak_intrusive_ptr<at::TensorImpl>> leaves;
};

/// `destinations(tensors)` returns an object for `countComputed`.
Napi::Value destinations(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsArray()) throwTypeError(environment, "destinations(): expected an array of Tensors.");
  const auto list = info[0].As<Napi::Array>();
  auto found = std::make_unique<Destinations>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const at::Tensor& tensor = tensorOf(environment, Napi::Value(list.Get(i)), "an element");
    if (tensor.grad_fn())
      found->nodes.emplace_back(tensor.grad_fn());
    else
      found->leaves.emplace_back(tensor.getIntrusivePtr());
  }
  const auto free = [](node_api_basic_env, void* data, void*) { delete static_cast<Destinations*>(data); };
  napi_value object;
  if (napi_create_external(environment.env, found.get(), free, nullptr, &object) != napi_ok)
    throw Napi::Error::New(environment.env);
  found.release();
  return Napi::Value(environment.env, object);
}

bool isExecuted(const HeldNode& held) {
  Node* node = held.get();
  const auto* inGraph = torch::autograd::get_current_graph_task_nodes_in_graph();
  const auto* chosen = torch::autograd::get_current_graph_task_exec_info();
  if (node == nullptr || inGraph == nullptr || !inGraph->contains(node)) return false;
  if (chosen == nullptr || chosen->empty()) return true;
  const auto found = chosen->find(node);
  return found != chosen->end() && found->second.should_execute();
}

/// `countComputed(destinations)` returns for how many of them the running backward computes gradients.
Napi::Value countComputed(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal()) throwTypeError(environment, "countComputed(): expected destinations.");
  const Destinations& all = *info[0].As<Napi::External<Destinations>>().Data();
  uint32_t count = 0;
  for (const WeakNode& node : all.nodes) count += isExecuted(node.lock());
  for (const auto& weak : all.leaves) {
    const at::Tensor leaf(weak.lock());
    count += leaf.defined() && isExecuted(torch::autograd::impl::grad_accumulator(leaf));
  }
  return Napi::Number::New(info.Env(), count);
}

/// Returns the number of the running backward, -1 if none runs.
Napi::Value graphTask(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), torch::autograd::get_current_graph_task_id());
}

}  // namespace

void defineGraphTask(Environment& environment, Napi::Object exports) {
  define<destinations>(environment, exports, "destinations");
  define<countComputed>(environment, exports, "countComputed");
  define<graphTask>(environment, exports, "graphTask");
}

}  // namespace mpslab
