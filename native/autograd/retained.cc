// Counts what live tensors hold, by the place where they were made. The search for growing memory uses it.
// Only JavaScript knows which variable holds a tensor (`lib/lab/epochs/growth_search.ts`).
#include <torch/csrc/autograd/function.h>

#include <map>
#include <unordered_set>
#include <vector>

#include "addon/guard.h"
#include "autograd/exports.h"
#include "tensor/tensor.h"
#include "tensor/tensor_property.h"
#include "tensor/value.h"

namespace mpslab {
namespace {

using torch::autograd::Node;

/// Counting stops at this many nodes: the question is only whether the graph grows from epoch to epoch.
constexpr size_t kMaxNodes = 100'000;

/// Adds the nodes behind a tensor to those seen.
void visitGraph(const at::Tensor& tensor, std::unordered_set<const Node*>& seen) {
  if (!tensor.defined() || !tensor.requires_grad() || !tensor.grad_fn()) return;
  std::vector<const Node*> open{tensor.grad_fn().get()};
  while (!open.empty() && seen.size() < kMaxNodes) {
    const Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const auto& edge : node->next_edges()) {
      if (edge.function) open.push_back(edge.function.get());
    }
  }
}

/// The number of nodes in the graph behind a tensor, 100,000 at most.
Napi::Value graphNodes(Environment& environment, Handle& handle) {
  std::unordered_set<const Node*> seen;
  if (handle.state == Handle::State::Live) visitGraph(handle.tensor, seen);
  return Napi::Number::New(environment.env, static_cast<double>(seen.size()));
}

/// Returns the place where the tensor was made, as `setOrigin` set it then.
Napi::Value originOf(Environment& environment, Handle& handle) {
  return Napi::String::New(environment.env, environment.origins[handle.origin]);
}

struct Retained {
  double bytes = 0;
  double tensors = 0;
  const Handle* largest = nullptr;
  size_t largestBytes = 0;
  std::unordered_set<const Node*> nodes;
};

/// Returns for each origin: bytes of the storages (each counted once, for the first tensor that has it), the
/// number of tensors, the largest one in words, and the nodes of the graphs behind them.
Napi::Value retainedByOrigin(Environment& environment, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::map<uint32_t, Retained> found;
  std::unordered_set<const void*> storages;
  environment.pool.forEachLive([&](Handle& handle) {
    Retained& retained = found[handle.origin];
    retained.tensors++;
    visitGraph(handle.tensor, retained.nodes);
    if (!handle.tensor.has_storage()) return;
    const auto& storage = handle.tensor.storage();
    if (!storages.insert(storage.unsafeGetStorageImpl()).second) return;
    retained.bytes += static_cast<double>(storage.nbytes());
    if (retained.largest == nullptr || storage.nbytes() > retained.largestBytes) {
      retained.largest = &handle;
      retained.largestBytes = storage.nbytes();
    }
  });
  Napi::Array list = Napi::Array::New(env, found.size());
  uint32_t index = 0;
  for (const auto& [origin, retained] : found) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("origin", environment.origins[origin]);
    entry.Set("bytes", retained.bytes);
    entry.Set("tensors", retained.tensors);
    entry.Set("largest", retained.largest == nullptr ? std::string() : describe(retained.largest->tensor));
    entry.Set("graphNodes", static_cast<double>(retained.nodes.size()));
    list.Set(index++, entry);
  }
  return list;
}

}  // namespace

void defineRetained(Environment& environment, Napi::Object exports) {
  defineProperty<graphNodes>(environment, exports, "graphNodes");
  defineProperty<originOf>(environment, exports, "originOf");
  define<retainedByOrigin>(environment, exports, "retainedByOrigin");
}

}  // namespace mpslab
