// A collective or a message under way, as an object of JavaScript's.
#pragma once
#include <napi.h>

#include <atomic>
#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "addon/environment.h"
#include "distributed/completion.h"

namespace mpslab {

/// It ends on a thread of the host; or, with NCCL, in the queue of the GPU.
class Operation {
 public:
  /// `source`: the rank from which a message came, once it is there. An operation of the host does not hold
  /// c10d's object: that holds the group's connections and its store, until the collector comes.
  Operation(std::shared_ptr<Completion> completion, std::shared_ptr<std::atomic<int>> source)
      : completion_(std::move(completion)), source_(std::move(source)) {}
  explicit Operation(c10::intrusive_ptr<c10d::Work> queued) : queued_(std::move(queued)) {}

  bool isDone() const;
  /// The host waits; or the GPU does, before what is queued next. Throws what the operation failed with.
  void wait(Environment& environment) const;
  /// Its end, for a promise.
  std::shared_ptr<Completion> completion() const;
  int source() const { return source_ ? source_->load() : -1; }

 private:
  std::shared_ptr<Completion> completion_;
  std::shared_ptr<std::atomic<int>> source_;
  c10::intrusive_ptr<c10d::Work> queued_;
};

/// Waits for a collective that libtorch's dispatcher started. `work`: its last result.
void waitForWork(Environment& environment, const c10::IValue& work);

/// Waits on a thread until the GPU has done it.
std::shared_ptr<Completion> completionOf(c10::intrusive_ptr<c10d::Work> queued);

/// The object that stands for an operation in JavaScript.
Napi::Value wrapOperation(Environment& environment, Operation operation);

/// Adds what JavaScript does with operations to the addon's object `distributed`.
void defineOperations(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
