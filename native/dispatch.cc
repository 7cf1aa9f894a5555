// Operators by number, and their calls through the boxed dispatcher. Plain Node-API calls on the way of
// `call`: Napi::CallbackInfo and Napi::Value would allocate for each operator.
#include <c10/util/Exception.h>

#include "addon.h"
#include "allocator.h"
#include "convert.h"
#include "guard.h"
#include "placement.h"
#include "resolve.h"
#include "tensor.h"
#include "waiting.h"

namespace mpslab {
namespace {

constexpr size_t kInlineArguments = 12;

Napi::Value addOperator(Environment& environment, std::unique_ptr<Operator> op) {
  if (!op) return Napi::Number::New(environment.env, -1);
  op->recorded = environment.recorder.addName(op->name);
  environment.operators.push_back(std::move(op));
  return Napi::Number::New(environment.env, static_cast<double>(environment.operators.size() - 1));
}

Napi::Value operatorByName(Environment& environment, const Napi::CallbackInfo& info) {
  return addOperator(environment, findOperator(info[0].ToString()));
}

Napi::Value overloadByName(Environment& environment, const Napi::CallbackInfo& info) {
  return addOperator(environment, findOverload(info[0].ToString(), info[1].ToString()));
}

Operator& operatorOf(Environment& environment, napi_value value) {
  int32_t number = -1;
  napi_get_value_int32(environment.env, value, &number);
  if (number < 0 || static_cast<size_t>(number) >= environment.operators.size()) {
    throwTypeError(environment, "Expected an operator's number from operator() or overload().");
  }
  Operator& op = *environment.operators[static_cast<size_t>(number)];
  op.load();
  return op;
}

Napi::Value schemas(Environment& environment, const Napi::CallbackInfo& info) {
  const Operator& op = operatorOf(environment, info[0]);
  Napi::Array texts = Napi::Array::New(environment.env, op.overloads.size());
  uint32_t index = 0;
  for (const Overload& overload : op.overloads) texts.Set(index++, toString(overload.handle.schema()));
  return texts;
}

void readOptions(Environment& environment, napi_value object, Arguments& arguments) {
  const napi_env env = environment.env;
  napi_value keys;
  if (napi_get_property_names(env, object, &keys) != napi_ok) throw Napi::Error::New(env);
  uint32_t count = 0;
  napi_get_array_length(env, keys, &count);
  if (count == 0) arguments.emptyOptions = object;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value key;
    napi_value value;
    napi_get_element(env, keys, i, &key);
    if (napi_get_property(env, object, key, &value) != napi_ok) throw Napi::Error::New(env);
    arguments.named.emplace_back(toUtf8(env, key), look(environment, value));
  }
}

void readArguments(Environment& environment, const napi_value* values, size_t count, Arguments& arguments) {
  for (size_t i = 0; i < count; ++i) {
    const Value value = look(environment, values[i]);
    if (i + 1 == count && value.kind == Value::Kind::Object) {
      readOptions(environment, values[i], arguments);
    } else {
      arguments.positional.push_back(value);
    }
  }
}

/// Keeps one stack's memory between calls. A hook that calls an operator inside an operator finds it taken
/// and gets a fresh one.
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

/// Leaves the results on the stack.
void invoke(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
            Stack& stack) {
  if (overload.direct) {
    stack->clear();
    stack->emplace_back(overload.direct.call(environment, op.name, overload, binding));
  } else {
    pushArguments(environment, op, overload, binding, stack);
    overload.handle.callBoxed(*stack);
  }
}

/// Runs the operator. Where a device ran out of memory the unused tensors of JavaScript are collected, the
/// cache is emptied, and the operator runs once more; one that writes its arguments does not, it may have
/// written half. (The host allocator collects by itself, inside the failing allocation.)
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
    if (!isDeviceOutOfMemory(error)) throw;
  }
  environment.collectGarbage();
  at::accelerator::emptyCache();
  invoke(environment, op, overload, binding, stack);
}

/// Operator's number, shell for the result, arguments.
constexpr size_t kFirstArgument = 2;

napi_value callOperator(Environment& environment, const napi_value* values, size_t count) {
  environment.checkStop();
  const Operator& op = operatorOf(environment, values[0]);
  Arguments arguments;
  readArguments(environment, values + kFirstArgument, count - kFirstArgument, arguments);
  Binding binding;
  const Overload& overload = resolve(environment, op, arguments, binding);
  Stack stack(environment);
  const FlightRecorder::Entry entry(environment.recorder, op.recorded, environment.allocatedBytes());
  try {
    run(environment, op, overload, binding, stack);
    napi_value result = takeResults(environment, overload, binding, stack, values[1]);
    environment.reportMemory();
    return result;
  } catch (...) {
    rethrowAsJavaScript(environment, op.name, describeArguments(environment, overload, binding));
  }
}

napi_value callInto(napi_env env, napi_callback_info info) {
  napi_value inlineValues[kInlineArguments];
  std::vector<napi_value> manyValues;
  napi_value* values = inlineValues;
  size_t count = kInlineArguments;
  void* data;
  napi_get_cb_info(env, info, &count, values, nullptr, &data);
  auto& environment = *static_cast<Environment*>(data);
  if (count > kInlineArguments) {
    manyValues.resize(count);
    values = manyValues.data();
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  }
  try {
    environment.dead->release(env);
    if (count < kFirstArgument)
      throwTypeError(environment, "callInto(): expected an operator and a wrapper.");
    return callOperator(environment, values, count);
  } catch (const Napi::Error& error) {
    error.ThrowAsJavaScriptException();
  } catch (...) {
    try {
      rethrowAsJavaScript(environment, {}, {});
    } catch (const Napi::Error& error) {
      error.ThrowAsJavaScriptException();
    }
  }
  return nullptr;
}

}  // namespace

void defineDispatch(Environment& environment, Napi::Object exports) {
  define<operatorByName>(environment, exports, "operator");
  define<overloadByName>(environment, exports, "overload");
  define<schemas>(environment, exports, "schemas");
  napi_value function;
  napi_create_function(environment.env, "callInto", NAPI_AUTO_LENGTH, callInto, &environment, &function);
  exports.Set("callInto", Napi::Value(environment.env, function));
}

}  // namespace mpslab
