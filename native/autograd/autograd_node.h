// Creates graph nodes, and holds them by the pointer type of the installed libtorch.
#pragma once
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace mpslab {

/// Since 2.15 libtorch's nodes are intrusive pointers; before, they were shared pointers with a deleter that
/// does not recurse.
using HeldNode = decltype(torch::autograd::Edge::function);

/// The same, held weakly.
template <typename Held>
struct Weakly;
template <typename Node>
struct Weakly<std::shared_ptr<Node>> {
  using Type = std::weak_ptr<Node>;
};
template <typename Node>
struct Weakly<c10::intrusive_ptr<Node>> {
  using Type = c10::weak_intrusive_ptr<Node>;
};
using WeakNode = Weakly<HeldNode>::Type;

template <typename Node, typename... Arguments>
auto makeNode(Arguments&&... arguments) {
  if constexpr (std::is_same_v<HeldNode, std::shared_ptr<torch::autograd::Node>>) {
    // Found by the argument's base class, and only where this branch is compiled: newer versions have no such
    // function.
    return std::shared_ptr<Node>(new Node(std::forward<Arguments>(arguments)...),
                                 [](Node* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace mpslab
