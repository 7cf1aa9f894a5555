// Chooses an error's class from libtorch's exception type or text. `errors/wording.h` has the texts.
#include "addon/errors.h"

#include <c10/util/Exception.h>
#include <napi.h>

#include <optional>

#include "errors/wording.h"
#include "vocabulary/tensor_description.h"

namespace mpslab {
namespace {

Napi::Error makeOfClass(Environment& environment, ErrorClass errorClass, const std::string& message) {
  napi_ref classReference = environment.errorClasses[static_cast<size_t>(errorClass)];
  if (classReference == nullptr) return Napi::Error::New(environment.env, message);
  napi_value constructor;
  napi_get_reference_value(environment.env, classReference, &constructor);
  const Napi::Object error =
      Napi::Function(environment.env, constructor).New({Napi::String::New(environment.env, message)});
  return Napi::Error(environment.env, error);
}

/// The device whose memory ran out, judged by the words of its allocator's message.
std::optional<at::DeviceType> deviceShortOfMemory(std::string_view text) {
  const auto says = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (says("MPS backend out of memory") || says("Invalid buffer size")) return at::kMPS;
  if (says("CUDA out of memory")) return at::kCUDA;
  if (says("out of host memory")) return at::kCPU;
  return {};
}

/// The message is written by JavaScript, which knows the names of the variables that hold the memory
/// (`lib/torch/engine/out_of_memory.ts`).
Napi::Error outOfMemory(Environment& environment, const std::string& message) {
  if (environment.outOfMemoryFormatter == nullptr)
    return makeOfClass(environment, ErrorClass::OutOfMemory, message);
  const Napi::Env env(environment.env);
  const auto device = deviceShortOfMemory(message);
  const auto largest = environment.largestHolders(device);
  Napi::Array holders = Napi::Array::New(env, largest.size());
  for (uint32_t i = 0; i < largest.size(); ++i) {
    const at::Tensor& tensor = largest[i]->tensor;
    Napi::Object holder = Napi::Object::New(env);
    holder.Set("tensor", describe(tensor));
    holder.Set("bytes", static_cast<double>(tensor.storage().nbytes()));
    holder.Set(
        "address",
        Napi::BigInt::New(env, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(tensor.storage().data()))));
    holder.Set("cell", environment.origins[largest[i]->origin]);
    holders.Set(i, holder);
  }
  napi_value formatter = nullptr;
  napi_get_reference_value(env, environment.outOfMemoryFormatter, &formatter);
  const Napi::Value name =
      device ? Napi::Value(Napi::String::New(env, at::DeviceTypeName(*device, true))) : env.Null();
  return {env, Napi::Function(env, formatter).Call({Napi::String::New(env, message), name, holders})};
}

/// `stack expects ...` -> `stack() expects ...`. Other texts get the prefix `stack(): `.
std::string named(std::string_view where, const std::string& text) {
  if (where.empty()) return text;
  if (text.starts_with(where)) {
    const std::string_view rest = std::string_view(text).substr(where.size());
    for (const std::string_view verb : {"()", " expects ", " expected ", " requires ", " only ", " needs "}) {
      if (rest.starts_with(verb)) return std::string(where) + (verb == "()" ? "" : "()") + std::string(rest);
    }
  }
  return std::string(where) + "(): " + text;
}

Napi::Error errorOf(Environment& environment, Meaning meaning, const std::string& message) {
  switch (meaning) {
    case Meaning::OutOfMemory:
      return outOfMemory(environment, message);
    case Meaning::Unsupported:
      return makeOfClass(environment, ErrorClass::UnsupportedOperator, message);
    case Meaning::DeviceMismatch:
      return makeOfClass(environment, ErrorClass::DeviceMismatch, message);
    case Meaning::Type:
      return Napi::TypeError::New(environment.env, message);
    case Meaning::Range:
      return Napi::RangeError::New(environment.env, message);
    case Meaning::Internal:
    case Meaning::Other:
      break;
  }
  return Napi::Error::New(environment.env, message);
}

/// Returns the error code that programs can compare, because messages may change.
/// `lib/torch/vocabulary/errors.ts` lists the codes for users.
const char* codeOf(Meaning meaning) {
  switch (meaning) {
    case Meaning::OutOfMemory:
      return "ERR_TORCH_OUT_OF_MEMORY";
    case Meaning::Unsupported:
      return "ERR_TORCH_UNSUPPORTED_OPERATOR";
    case Meaning::DeviceMismatch:
      return "ERR_TORCH_DEVICE_MISMATCH";
    case Meaning::Type:
      return "ERR_TORCH_TYPE";
    case Meaning::Range:
      return "ERR_TORCH_RANGE";
    case Meaning::Internal:
      return "ERR_TORCH_INTERNAL";
    case Meaning::Other:
      break;
  }
  return "ERR_TORCH";
}

/// Adds `code`, and libtorch's own text as `cause`. Neither is enumerable, because an enumerable property
/// would be printed below every message.
void addOrigin(Napi::Error& error, const char* code, std::string_view text) {
  const Napi::Env env = error.Env();
  Napi::Error cause = Napi::Error::New(env, std::string(text));
  const auto hidden = napi_property_attributes(napi_writable | napi_configurable);
  cause.Value().DefineProperty(
      Napi::PropertyDescriptor::Value("name", Napi::String::New(env, "libtorch"), hidden));
  error.Value().DefineProperties(
      {Napi::PropertyDescriptor::Value("code", Napi::String::New(env, code), hidden),
       Napi::PropertyDescriptor::Value("cause", cause.Value(), hidden)});
}

/// `known` is the meaning of the exception's type. A text of the table says more than a type; without either,
/// words of the text decide.
[[noreturn]] void fail(Environment& environment, std::string_view text, std::optional<Meaning> known,
                       std::string_view where, std::string_view arguments) {
  const Wording wording = wordingOf(text, arguments);
  std::string message = named(where, wording.text);
  if (!arguments.empty()) {
    while (message.ends_with('.')) message.pop_back();
    message += " (got " + std::string(arguments) + ").";
  }
  if (!wording.wayOut.empty()) {
    if (!message.ends_with('.')) message += '.';
    message.append(" ").append(wording.wayOut);
  }
  const Meaning meaning = wording.isKnown ? wording.meaning : known.value_or(wording.meaning);
  Napi::Error error = errorOf(environment, meaning, message);
  addOrigin(error, codeOf(meaning), text);
  throw error;
}

}  // namespace

void throwTypeError(Environment& environment, const std::string& message) {
  throw Napi::TypeError::New(environment.env, message);
}

void throwRangeError(Environment& environment, const std::string& message) {
  throw Napi::RangeError::New(environment.env, message);
}

void throwError(Environment& environment, ErrorClass errorClass, const std::string& message) {
  throw makeOfClass(environment, errorClass, message);
}

void rethrowAsJavaScript(Environment& environment, std::string_view where, std::string_view arguments) {
  try {
    throw;
  } catch (const Napi::Error&) {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::OutOfMemory, where, arguments);
  } catch (const c10::NotImplementedError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::Unsupported, where, arguments);
  } catch (const c10::IndexError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::Range, where, arguments);
  } catch (const c10::LinAlgError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::Range, where, arguments);
  } catch (const c10::TypeError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::Type, where, arguments);
  } catch (const c10::ValueError& error) {
    fail(environment, error.what_without_backtrace(), Meaning::Range, where, arguments);
  } catch (const c10::Error& error) {
    fail(environment, error.what_without_backtrace(), {}, where, arguments);
  } catch (const std::bad_alloc&) {
    fail(environment, "the system gave no memory", Meaning::OutOfMemory, where, arguments);
  } catch (const std::exception& error) {
    fail(environment, error.what(), {}, where, arguments);
  } catch (...) {
    fail(environment, "failed for a reason that libtorch does not name", Meaning::Other, where, arguments);
  }
}

bool isDeviceOutOfMemory(const std::exception& error) {
  // `what()` of libtorch's errors looks up the name of every frame of its backtrace: 6 ms for each error.
  const auto* libtorchs = dynamic_cast<const c10::Error*>(&error);
  const std::string_view text = libtorchs != nullptr ? libtorchs->what_without_backtrace() : error.what();
  return text.find("MPS backend out of memory") != std::string_view::npos ||
         text.find("CUDA out of memory") != std::string_view::npos;
}

}  // namespace mpslab
