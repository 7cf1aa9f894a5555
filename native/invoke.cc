// Runs an operator whose arguments are bound, boxed or directly, and takes its results to JavaScript.
#include "invoke.h"

#include <c10/util/Exception.h>

#include "convert.h"
#include "errors.h"
#include "placement.h"
#include "simulated_metal/simulated_metal.h"
#include "tensor.h"
#include "waiting.h"

namespace mpslab {
namespace {

void pushArguments(Environment& environment, const Operator& op, const Overload& overload,
                   const Binding& binding, Stack& stack) {
  stack->clear();
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Parameter& parameter = overload.parameters[i];
    const Value* value = binding.values[i];
    if (value != nullptr) {
      stack->push_back(toIValue(environment, *value, parameter, op.name));
    } else if (parameter.defaultValue) {
      stack->push_back(*parameter.defaultValue);
    } else {
      stack->emplace_back();
    }
  }
}

napi_value takeResult(Environment& environment, const Overload& overload, const Binding& binding,
                      c10::IValue&& value, size_t index, napi_value shell) {
  const Result& result = overload.results[index];
  if (result.written >= 0) {
    const Value* given = binding.values[static_cast<size_t>(result.written)];
    if (given != nullptr) return given->js;
  }
  if (binding.requiresGrad != nullptr && binding.requiresGrad->boolean && value.isTensor()) {
    value.toTensor().requires_grad_(true);
  }
  return toJavaScript(environment, std::move(value), result, shell);
}

void invokeNow(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
               Stack& stack) {
  if (overload.direct) {
    stack->clear();
    stack->emplace_back(overload.direct->call({environment, op.name, overload, binding}));
  } else {
    pushArguments(environment, op, overload, binding, stack);
    overload.handle.callBoxed(*stack);
  }
}

/// Leaves the results on the stack.
void invoke(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
            Stack& stack) {
  if (!overload.draws) [[likely]]
    return invokeNow(environment, op, overload, binding, stack);
  const RandomTurn turn(environment.ownGenerator.get());
  invokeNow(environment, op, overload, binding, stack);
}

}  // namespace

void run(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
         Stack& stack) {
  checkDevices(environment, op, overload, binding);
  if (overload.waits != Waits::Never && environment.usesDevice()) [[unlikely]]
    waitBeforeOperator(environment, overload, binding);
  if (overload.writes) {
    invoke(environment, op, overload, binding, stack);
    return;
  }
  try {
    invoke(environment, op, overload, binding, stack);
    return;
  } catch (const std::exception& error) {
    if (!isDeviceOutOfMemory(error) || metalIsSimulated()) throw;
  }
  environment.collectGarbage();
  at::accelerator::emptyCache();
  invoke(environment, op, overload, binding, stack);
}

napi_value takeResults(Environment& environment, const Overload& overload, const Binding& binding,
                       Stack& stack, napi_value shell) {
  if (stack->size() == 1) return takeResult(environment, overload, binding, std::move((*stack)[0]), 0, shell);
  napi_value results;
  if (stack->empty()) {
    napi_get_undefined(environment.env, &results);
    return results;
  }
  napi_create_array_with_length(environment.env, stack->size(), &results);
  for (size_t i = 0; i < stack->size(); ++i) {
    napi_value result = takeResult(environment, overload, binding, std::move((*stack)[i]), i, nullptr);
    napi_set_element(environment.env, results, static_cast<uint32_t>(i), result);
  }
  return results;
}

}  // namespace mpslab
