// Runs an operator whose arguments are bound to an overload's parameters.
#pragma once
#include <napi.h>

#include <vector>

#include "addon/errors.h"
#include "call/resolve.h"
#include "errors/flight_recorder.h"
#include "memory/allocation_history.h"

namespace mpslab {

/// Reuses one stack's memory from call to call. If a hook calls an operator inside an operator, the stack is
/// in use, and the inner call gets a new one.
class Stack {
 public:
  explicit Stack(Environment& environment)
      : environment_(environment), stack_(std::move(environment.spareStack)) {}
  ~Stack() {
    stack_.clear();
    environment_.spareStack = std::move(stack_);
  }
  std::vector<c10::IValue>& operator*() { return stack_; }
  std::vector<c10::IValue>* operator->() { return &stack_; }

 private:
  Environment& environment_;
  std::vector<c10::IValue> stack_;
};

/// Runs the operator. If a device runs out of memory, JavaScript's unused tensors are collected, the cache is
/// emptied, and the operator runs once more. An operator that writes its arguments does not run again,
/// because it may have written half of them. (The allocators of the host and of simulated Metal collect by
/// themselves, inside the failing allocation.)
void run(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
         Stack& stack);

/// Does what both ways to call an operator share. It records the run, and takes the result with
/// `take(stack)`. An exception becomes a JavaScript error that names the operator and its arguments.
template <typename Take>
napi_value runBound(Environment& environment, const Operator& op, const Overload& overload,
                    const Binding& binding, Take take) {
  Stack stack(environment);
  const FlightRecorder::Entry entry(environment.recorder, op.recorded, environment.allocatedBytes());
  const RunningCall running(op.names.front().name);
  try {
    run(environment, op, overload, binding, stack);
    environment.checkObservers();
    return take(stack);
  } catch (...) {
    rethrowAsJavaScript(environment, op.name, describeArguments(environment, overload, binding));
  }
}

/// `shell` is an object of the wrapper class that becomes the wrapper of a single tensor; nullptr for none.
napi_value takeResults(Environment& environment, const Overload& overload, const Binding& binding,
                       Stack& stack, napi_value shell);

}  // namespace mpslab
