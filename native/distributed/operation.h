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
  /// `source` is the rank from which a message came, once it has come. An operation on the host does not hold
  /// c10d's object, because that would keep the group's connections and its store until the collector runs.
  Operation(std::shared_ptr<Completion> completion, std::shared_ptr<std::atomic<int>> source)
      : completion_(std::move(completion)), source_(std::move(source)) {}
  explicit Operation(c10::intrusive_ptr<c10d::Work> queued) : queued_(std::move(queued)) {}

  bool isDone() const;
  /// Makes the host wait or, with NCCL, makes what the GPU queues next wait. Throws the operation's failure.
  void wait(Environment& environment) const;
  /// The end of the operation, from which a promise is made.
  std::shared_ptr<Completion> completion() const;
  int source() const { return source_ ? source_->load() : -1; }

 private:
  std::shared_ptr<Completion> completion_;
  std::shared_ptr<std::atomic<int>> source_;
  c10::intrusive_ptr<c10d::Work> queued_;
};

/// Waits for a collective that libtorch's dispatcher started. `work` is the last result of its operator.
void waitForWork(Environment& environment, const c10::IValue& work);

/// Waits on a thread until the GPU has done it.
std::shared_ptr<Completion> completionOf(c10::intrusive_ptr<c10d::Work> queued);

/// The object that stands for an operation in JavaScript.
Napi::Value wrapOperation(Environment& environment, Operation operation);

/// Adds the functions of operations to the addon's object `distributed`.
void defineOperations(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
