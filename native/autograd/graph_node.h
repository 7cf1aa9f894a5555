// JavaScript's objects for nodes of the graph. As long as JavaScript holds a node's object, every query
// returns that same object.
#pragma once
#include <node_api.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace mpslab {

struct Environment;

/// A node of the graph, held as the installed libtorch holds it.
using HeldNode = decltype(torch::autograd::Edge::function);

/// The objects of one environment that stand for nodes.
class GraphNodes {
 public:
  /// The object of a node, null for none.
  napi_value wrap(Environment& environment, const HeldNode& node);

  /// The node of an object. Throws TypeError for anything else.
  torch::autograd::Node& at(Environment& environment, napi_value value) const;

  /// JavaScript's class of the objects.
  napi_ref nodeClass = nullptr;

 private:
  struct Entry;
  /// Shared with the finalizers, which may run after the environment's end.
  struct Entries {
    std::unordered_map<const torch::autograd::Node*, Entry*> byNode;
    std::unordered_set<const void*> all;
  };
  static void finalize(node_api_basic_env, void* data, void*);
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

}  // namespace mpslab
