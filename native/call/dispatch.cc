// Finds operators by number, and calls them through the boxed dispatcher. `call` uses plain Node-API calls,
// because Napi::CallbackInfo and Napi::Value would allocate for each operator.
#include "addon/guard.h"
#include "call/exports.h"
#include "call/invoke.h"
#include "call/resolve.h"
#include "tensor/tensor.h"

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

/// Schemas of every overload that libtorch has under `aten::`, whether or not a public name leads to it.
Napi::Value everySchema(Environment& environment, const Napi::CallbackInfo&) {
  Napi::Array texts = Napi::Array::New(environment.env);
  uint32_t index = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    if (const auto handle = c10::Dispatcher::singleton().findSchema(name))
      texts.Set(index++, toString(handle->schema()));
  }
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
      // A `Date` has no properties of its own, but an object with a class is not options.
      if (arguments.emptyOptions == nullptr || classNameOf(environment.env, values[i]).empty()) continue;
      arguments.emptyOptions = nullptr;
    }
    arguments.positional.push_back(value);
  }
}

/// Returns the name of the overload that a call with these arguments would run. Converts no argument and runs
/// nothing.
Napi::Value resolvedOverload(Environment& environment, const Napi::CallbackInfo& info) {
  const Operator& op = operatorOf(environment, info[0]);
  std::vector<napi_value> values;
  for (size_t i = 1; i < info.Length(); ++i) values.push_back(info[i]);
  Arguments arguments;
  readArguments(environment, values.data(), values.size(), arguments);
  Binding binding;
  const Overload& overload = resolve(environment, op, arguments, binding);
  return Napi::String::New(environment.env, overload.handle.operator_name().overload_name);
}

/// `callInto(operator's number, shell for the result, ...arguments)`
constexpr size_t kFirstArgument = 2;

napi_value callOperator(Environment& environment, const napi_value* values, size_t count) {
  environment.checkStop();
  const Operator& op = operatorOf(environment, values[0]);
  Arguments arguments;
  readArguments(environment, values + kFirstArgument, count - kFirstArgument, arguments);
  Binding binding;
  const Overload& overload = resolve(environment, op, arguments, binding);
  return runBound(environment, op, overload, binding, [&](Stack& stack) {
    napi_value result = takeResults(environment, overload, binding, stack, values[1]);
    environment.collectInTime();
    return result;
  });
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
  return guardedCall(environment, [&](Environment&) {
    if (count < kFirstArgument)
      throwTypeError(environment, "callInto(): expected an operator and a wrapper.");
    return callOperator(environment, values, count);
  });
}

}  // namespace

void defineDispatch(Environment& environment, Napi::Object exports) {
  define<operatorByName>(environment, exports, "operator");
  define<overloadByName>(environment, exports, "overload");
  define<schemas>(environment, exports, "schemas");
  define<everySchema>(environment, exports, "everySchema");
  define<resolvedOverload>(environment, exports, "resolvedOverload");
  napi_value function;
  napi_create_function(environment.env, "callInto", NAPI_AUTO_LENGTH, callInto, &environment, &function);
  exports.Set("callInto", Napi::Value(environment.env, function));
}

}  // namespace mpslab
