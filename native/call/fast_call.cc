// Calls operators the short way, for the commonest calls. JavaScript (`lib/torch/engine/fast_call.ts`) writes
// the arguments into an array that both sides share: tensors by number, numbers, booleans and lists of
// numbers. It reads the result there. Reading each argument through Node-API, and the private property of
// each tensor, would take as long as the addition itself.

#include <algorithm>
#include <array>
#include <cmath>

#include "addon/guard.h"
#include "call/exports.h"
#include "call/invoke.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

/// Positions in the array: the operator's number; the arguments' kinds (four bits each, the first in the
/// lowest bits); how many places are used; the number that the slot for the result holds (0 for a new slot).
/// Then for each argument its number, or a list's length and elements. The answer is written to the first
/// position.
constexpr size_t kOperator = 0;
constexpr size_t kKinds = 1;
constexpr size_t kUsed = 2;
constexpr size_t kReused = 3;
constexpr size_t kFirst = 4;

enum class Code : uint32_t { End, Tensor, Number, Boolean, Null, Undefined, Numbers, Tensors };

/// Answers. A positive number is the handle number of the new tensor. A negative one from -1 down means that
/// an argument was written and is returned: -1 for the first. kReturned means that the function returns the
/// result itself, kDeclined that JavaScript must call the long way.
constexpr double kReturned = 0;
constexpr double kDeclined = -100;

/// A copy of one call's places, because a hook inside the operator may make the next call.
using Places = std::array<double, kExchangePlaces>;

/// Returns the number at a place as a count, or 0 if it is not one.
uint32_t countAt(const double* places, size_t place) {
  const double number = places[place];
  return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

bool allTensors(Environment& environment, const Value& list) {
  return std::all_of(list.numbers, list.numbers + list.length,
                     [&](double number) { return environment.pool.at(number) != nullptr; });
}

/// Returns false if a number belongs to no tensor. JavaScript then calls the long way, which words the error.
bool decode(Environment& environment, const Places& places, size_t used, Arguments& arguments) {
  size_t place = kFirst;
  for (uint32_t kinds = countAt(places.data(), kKinds); kinds != 0; kinds >>= 4) {
    if (place >= used) return false;
    Value& value = arguments.positional.emplace_back();
    const double number = places[place++];
    switch (static_cast<Code>(kinds & 15)) {
      case Code::Tensor:
        value.kind = Value::Kind::Tensor;
        value.handle = environment.pool.at(number);
        if (value.handle == nullptr) return false;
        break;
      case Code::Number:
        value.kind = Value::Kind::Number;
        value.number = number;
        break;
      case Code::Boolean:
        value.kind = Value::Kind::Boolean;
        value.boolean = number != 0;
        break;
      case Code::Null:
        value.kind = Value::Kind::Null;
        break;
      case Code::Undefined:
        value.kind = Value::Kind::Undefined;
        break;
      case Code::Numbers:
      case Code::Tensors: {
        if (!(number >= 0 && number <= static_cast<double>(used - place))) return false;
        value.kind = Value::Kind::Array;
        value.numbers = &places[place];
        value.length = static_cast<uint32_t>(number);
        value.numbersAreTensors = static_cast<Code>(kinds & 15) == Code::Tensors;
        if (value.numbersAreTensors && !allTensors(environment, value)) return false;
        place += value.length;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

const Operator* operatorAt(Environment& environment, double number) {
  if (!(number >= 0 && number < static_cast<double>(environment.operators.size()))) return nullptr;
  Operator& op = *environment.operators[static_cast<size_t>(number)];
  op.load();
  return &op;
}

napi_value call(Environment& environment, napi_value slot) {
  environment.checkStop();
  double& answer = environment.exchange[0];
  Places places;
  const double* shared = environment.exchange;
  const size_t used = std::clamp<size_t>(countAt(shared, kUsed), kFirst, kExchangePlaces);
  std::copy_n(shared, used, places.begin());
  answer = kDeclined;
  const Operator* op = operatorAt(environment, places[kOperator]);
  Arguments arguments;
  if (op == nullptr || !decode(environment, places, used, arguments)) return nullptr;
  Binding binding;
  const Overload* overload = tryResolve(environment, *op, arguments, binding);
  if (overload == nullptr || (overload->writes && overload->results.size() > 1)) return nullptr;

  return runBound(environment, *op, *overload, binding, [&](Stack& stack) {
    napi_value returned = nullptr;
    double made = kReturned;
    const int written = stack->size() == 1 ? overload->results[0].written : -1;
    if (written >= 0 && binding.values[static_cast<size_t>(written)] != nullptr) {
      made = -1.0 - written;
    } else if (stack->size() == 1 && (*stack)[0].isTensor() && (*stack)[0].toTensor().defined()) {
      made = fillSlot(environment, std::move((*stack)[0]).toTensor(), slot, places[kReused]);
    } else {
      returned = takeResults(environment, *overload, binding, stack, nullptr);
    }
    environment.collectInTime();
    // This comes after the collection, if one was due, because code that runs there may make calls.
    environment.exchange[0] = made;
    return returned;
  });
}

/// `fastCall(slot, ...tensors)`. The tensors are passed only to keep them alive; they are not read here.
napi_value fastCall(napi_env env, napi_callback_info info) {
  napi_value slot;
  size_t count = 1;
  void* data;
  napi_get_cb_info(env, info, &count, &slot, nullptr, &data);
  return guardedCall(*static_cast<Environment*>(data),
                     [&](Environment& environment) { return call(environment, slot); });
}

/// Returns the number of a tensor that was made another way, 0 for anything else.
Napi::Value numberOf(Environment& environment, const Napi::CallbackInfo& info) {
  const Handle* handle = handleOf(environment, info[0]);
  return Napi::Number::New(environment.env, handle == nullptr ? 0 : handle->number);
}

}  // namespace

void defineFastCall(Environment& environment, Napi::Object exports) {
  const Napi::Env env(environment.env);
  Napi::Float64Array exchange = Napi::Float64Array::New(env, kExchangePlaces);
  napi_create_reference(env, exchange, 1, &environment.exchangeArray);
  environment.exchange = exchange.Data();
  exports.Set("exchange", exchange);
  define<numberOf>(environment, exports, "numberOf");
  napi_value function;
  napi_create_function(env, "fastCall", NAPI_AUTO_LENGTH, fastCall, &environment, &function);
  exports.Set("fastCall", Napi::Value(env, function));
}

}  // namespace mpslab
