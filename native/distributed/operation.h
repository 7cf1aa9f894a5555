// A collective or a message under way, as an object of JavaScript's.
#pragma once
#include <napi.h>

#include <atomic>
#include <memory>

#include "addon/environment.h"
#include "distributed/completion.h"

namespace mpslab {

/// It does not hold c10d's object: that holds the group's connections and its store, until the collector
/// comes.
struct Operation {
  std::shared_ptr<Completion> completion;
  /// The rank from which a message came, once it is there.
  std::shared_ptr<std::atomic<int>> source;
};

/// The object that stands for an operation in JavaScript.
Napi::Value wrapOperation(Environment& environment, Operation operation);

/// Adds what JavaScript does with operations to the addon's object `distributed`.
void defineOperations(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
