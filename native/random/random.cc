// Settings that make runs reproducible: random state, number of threads, deterministic algorithms, default
// dtype.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <cstring>
#include <mutex>

#include "addon/guard.h"
#include "device/devices.h"
#include "random/exports.h"
#include "random/generator.h"
#include "random/generator_lock.h"
#include "tensor/scalar.h"
#include "tensor/value.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

/// A seed is any integer of 64 bits. Negative ones wrap around to the top of the range, as in PyTorch.
uint64_t seedArgument(Environment& environment, Napi::Value value) {
  if (value.IsBigInt()) {
    bool lossless = false;
    const auto bigint = value.As<Napi::BigInt>();
    const uint64_t seed = bigint.Uint64Value(&lossless);
    if (lossless) return seed;
    const int64_t negative = bigint.Int64Value(&lossless);
    if (lossless) return static_cast<uint64_t>(negative);
  } else if (value.IsNumber()) {
    const double number = value.As<Napi::Number>();
    if (number == std::trunc(number) && std::abs(number) <= 9007199254740991.0) {
      return static_cast<uint64_t>(static_cast<int64_t>(number));
    }
  }
  throwRangeError(environment, "manualSeed(): the seed must be an integer of 64 bits, but got " +
                                   describe(environment, look(environment, value)) + ".");
}

constexpr const char* kSeeds =
    "the state of a generator was set, which a replay does not repeat: seed outside of the step; "
    "checkpoint() takes "
    "preserveRngState: false";

Napi::Value manualSeed(Environment& environment, const Napi::CallbackInfo& info) {
  environment.refuseInCapture(kSeeds);
  const uint64_t seed = seedArgument(environment, info[0]);
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  if (info[1].IsUndefined()) {
    at::manual_seed(seed);
  } else {
    at::Generator generator = generatorArgument(environment, info[1], "manualSeed");
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(seed);
  }
  return info.Env().Undefined();
}

Napi::Value getRngState(Environment& environment, const Napi::CallbackInfo& info) {
  at::Generator generator = generatorArgument(environment, info[0], "getRngState");
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  const std::lock_guard lock(generator.mutex());
  const at::Tensor state = generator.get_state();
  Napi::Uint8Array bytes = Napi::Uint8Array::New(info.Env(), state.nbytes());
  std::memcpy(bytes.Data(), state.data_ptr(), state.nbytes());
  return bytes;
}

Napi::Value setRngState(Environment& environment, const Napi::CallbackInfo& info) {
  environment.refuseInCapture(kSeeds);
  at::Generator generator = generatorArgument(environment, info[0], "setRngState");
  if (!info[1].IsTypedArray() || info[1].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    throwTypeError(environment, "setRngState(): the state must be a Uint8Array from getRngState(), but got " +
                                    describe(environment, look(environment, info[1])) + ".");
  }
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  at::Tensor state = at::empty({static_cast<int64_t>(bytes.ByteLength())}, at::kByte);
  const std::lock_guard lock(generator.mutex());
  const auto expected = static_cast<size_t>(generator.get_state().numel());
  if (bytes.ByteLength() != expected) {
    throwRangeError(environment, "setRngState(): a state of this generator has " + std::to_string(expected) +
                                     " bytes, but got " + std::to_string(bytes.ByteLength()) + ".");
  }
  std::memcpy(state.data_ptr(), bytes.Data(), bytes.ByteLength());
  generator.set_state(state);
  return info.Env().Undefined();
}

napi_value fromSeed(napi_env env, uint64_t seed) {
  return toJavaScript(env, seed > static_cast<uint64_t>(INT64_MAX) ? at::Scalar(seed)
                                                                   : at::Scalar(static_cast<int64_t>(seed)));
}

/// Returns the last seed of the generator.
Napi::Value initialSeed(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Generator generator = generatorArgument(environment, info[0], "initialSeed");
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  return {environment.env, fromSeed(environment.env, generator.current_seed())};
}

/// Seeds from the system's randomness.
Napi::Value randomSeed(Environment& environment, const Napi::CallbackInfo& info) {
  environment.refuseInCapture(kSeeds);
  at::Generator generator = generatorArgument(environment, info[0], "seed");
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  const std::lock_guard lock(generator.mutex());
  return {environment.env, fromSeed(environment.env, generator.seed())};
}

Napi::Value useOwnGenerator(Environment& environment, const Napi::CallbackInfo& info) {
  environment.threadGenerator = std::make_shared<ThreadGenerator>(seedArgument(environment, info[0]));
  return info.Env().Undefined();
}

Napi::Value getNumThreads(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), at::get_num_threads());
}

Napi::Value setNumThreads(Environment& environment, const Napi::CallbackInfo& info) {
  const Value value = look(environment, info[0]);
  if (value.kind != Value::Kind::Number || !(value.number >= 1 && value.number <= 4096) ||
      value.number != std::trunc(value.number)) {
    throwRangeError(environment,
                    "setNumThreads(): the number of threads must be an integer from 1 to 4096, but got " +
                        describe(environment, value) + ".");
  }
  at::set_num_threads(static_cast<int>(value.number));
  return info.Env().Undefined();
}

Napi::Value setDeterministicAlgorithms(Environment&, const Napi::CallbackInfo& info) {
  at::globalContext().setDeterministicAlgorithms(info[0].ToBoolean(), info[1].ToBoolean());
  return info.Env().Undefined();
}

Napi::Value defaultDtype(Environment&, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), std::string(dtypeName(at::get_default_dtype().toScalarType())));
}

Napi::Value setDefaultDtype(Environment& environment, const Napi::CallbackInfo& info) {
  const std::optional<at::ScalarType> dtype = dtypeOf(info[0].ToString().Utf8Value());
  if (!dtype || !at::isFloatingType(*dtype))
    throwTypeError(environment, "setDefaultDtype(): expected a floating dtype.");
  at::set_default_dtype(at::scalarTypeToTypeMeta(*dtype));
  return info.Env().Undefined();
}

Napi::Value deterministicAlgorithms(Environment&, const Napi::CallbackInfo& info) {
  const auto& context = at::globalContext();
  const char* const mode = !context.deterministicAlgorithms()          ? "off"
                           : context.deterministicAlgorithmsWarnOnly() ? "warn"
                                                                       : "on";
  return Napi::String::New(info.Env(), mode);
}

}  // namespace

void defineRandom(Environment& environment, Napi::Object exports) {
  define<manualSeed>(environment, exports, "manualSeed");
  define<getRngState>(environment, exports, "getRngState");
  define<setRngState>(environment, exports, "setRngState");
  define<initialSeed>(environment, exports, "initialSeed");
  define<randomSeed>(environment, exports, "randomSeed");
  define<useOwnGenerator>(environment, exports, "useOwnGenerator");
  define<getNumThreads>(environment, exports, "getNumThreads");
  define<setNumThreads>(environment, exports, "setNumThreads");
  define<defaultDtype>(environment, exports, "defaultDtype");
  define<setDefaultDtype>(environment, exports, "setDefaultDtype");
  define<deterministicAlgorithms>(environment, exports, "deterministicAlgorithms");
  define<setDeterministicAlgorithms>(environment, exports, "setDeterministicAlgorithms");
}

}  // namespace mpslab
