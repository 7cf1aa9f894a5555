// Classes and wording of errors. Knows libtorch's exception types and the texts by which it tells them apart.
#include "errors.h"

#include <c10/util/Exception.h>
#include <napi.h>

namespace mpslab {
namespace {

bool containsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool saysOutOfMemory(std::string_view text) {
  return containsAny(text,
                     {"out of memory", "not enough memory", "can't allocate memory", "Invalid buffer size"});
}

bool saysUnsupported(std::string_view text) {
  return containsAny(
      text, {"Could not run '", "not implemented for", "not currently implemented for", "not supported on",
             "is not implemented", "without MPS backend", "is not supported for"});
}

bool saysDeviceMismatch(std::string_view text) {
  return containsAny(text, {"on the same device", "same device", "Expected tensor on device"});
}

/// Wrong dtypes read `expected scalar type Float but found Long`; wrong shapes and indices in many ways.
bool saysWrongDtype(std::string_view text) {
  return containsAny(text, {"dtype", "scalar type", "ScalarType", "data type", "can't be cast",
                            "floating point", "same type"});
}

bool saysWrongRange(std::string_view text) {
  return containsAny(
      text, {"size", "shape", "imension", "out of range", "out of bounds", "negative", "overflow", "index",
             "length", "must be in", "must be greater", "must be less", "must be positive", "must match",
             "elements", "to be less than", "must be nonzero", "unsupported range"});
}

/// Cuts what is meant for libtorch's own developers: stack traces, lists of kernels, asserts.
std::string readable(std::string text) {
  for (const std::string_view tail :
       {"\nException raised from ", " This could be because the operator doesn't exist",
        "\nC++ CapturedTraceback", "; you can make a copy of", "\nFor more information"}) {
    const size_t end = text.find(tail);
    if (end != std::string::npos) text.resize(end);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool isAssertion(std::string_view text) {
  return containsAny(text, {"INTERNAL ASSERT", "please report a bug", "Expected t", "ASSERT FAILED"}) &&
         containsAny(text, {"INTERNAL ASSERT", "report a bug"});
}

Napi::Error make(Environment& environment, napi_ref classReference, const std::string& message) {
  if (classReference == nullptr) return Napi::Error::New(environment.env, message);
  napi_value constructor;
  napi_get_reference_value(environment.env, classReference, &constructor);
  const Napi::Object error =
      Napi::Function(environment.env, constructor).New({Napi::String::New(environment.env, message)});
  return Napi::Error(environment.env, error);
}

enum class Meaning { OutOfMemory, Unsupported, DeviceMismatch, Type, Range, Other };

Meaning meaningOf(std::string_view text) {
  if (saysOutOfMemory(text)) return Meaning::OutOfMemory;
  if (saysDeviceMismatch(text)) return Meaning::DeviceMismatch;
  if (saysUnsupported(text)) return Meaning::Unsupported;
  if (saysWrongDtype(text)) return Meaning::Type;
  if (saysWrongRange(text)) return Meaning::Range;
  return Meaning::Other;
}

[[noreturn]] void throwMeaning(Environment& environment, Meaning meaning, std::string text,
                               std::string_view where, std::string_view arguments) {
  std::string message;
  const bool namesItself = text.starts_with(where) && !where.empty();
  if (!where.empty() && !namesItself) message = std::string(where) + "(): ";
  if (isAssertion(text)) {
    message += "libtorch cannot do this with the given arguments";
    meaning = Meaning::Other;
  } else {
    message += text;
  }
  if (!arguments.empty()) {
    while (message.ends_with('.')) message.pop_back();
    message += " (got " + std::string(arguments) + ").";
  }
  switch (meaning) {
    case Meaning::OutOfMemory:
      throwError(environment, ErrorClass::OutOfMemory,
                 message + " Free tensors with tidy or dispose, empty the cache, or use smaller batches." +
                     environment.describeLargestHolders());
    case Meaning::Unsupported:
      throwError(environment, ErrorClass::UnsupportedOperator, message);
    case Meaning::DeviceMismatch:
      throwError(environment, ErrorClass::DeviceMismatch, message);
    case Meaning::Type:
      throwTypeError(environment, message);
    case Meaning::Range:
      throwRangeError(environment, message);
    case Meaning::Other:
      break;
  }
  throw Napi::Error::New(environment.env, message);
}

}  // namespace

void throwTypeError(Environment& environment, const std::string& message) {
  throw Napi::TypeError::New(environment.env, message);
}

void throwRangeError(Environment& environment, const std::string& message) {
  throw Napi::RangeError::New(environment.env, message);
}

void throwError(Environment& environment, ErrorClass errorClass, const std::string& message) {
  throw make(environment, environment.errorClasses[static_cast<size_t>(errorClass)], message);
}

void rethrowAsJavaScript(Environment& environment, std::string_view where, std::string_view arguments) {
  try {
    throw;
  } catch (const Napi::Error&) {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    throwMeaning(environment, Meaning::OutOfMemory, readable(error.what_without_backtrace()), where,
                 arguments);
  } catch (const c10::NotImplementedError& error) {
    throwMeaning(environment, Meaning::Unsupported, readable(error.what_without_backtrace()), where,
                 arguments);
  } catch (const c10::IndexError& error) {
    throwMeaning(environment, Meaning::Range, readable(error.what_without_backtrace()), where, arguments);
  } catch (const c10::TypeError& error) {
    throwMeaning(environment, Meaning::Type, readable(error.what_without_backtrace()), where, arguments);
  } catch (const c10::ValueError& error) {
    throwMeaning(environment, Meaning::Range, readable(error.what_without_backtrace()), where, arguments);
  } catch (const c10::Error& error) {
    const std::string text = readable(error.what_without_backtrace());
    throwMeaning(environment, meaningOf(text), text, where, arguments);
  } catch (const std::bad_alloc&) {
    throwMeaning(environment, Meaning::OutOfMemory, "the system gave no memory", where, arguments);
  } catch (const std::exception& error) {
    const std::string text = readable(error.what());
    throwMeaning(environment, meaningOf(text), text, where, arguments);
  } catch (...) {
    throwMeaning(environment, Meaning::Other, "failed for a reason that libtorch does not name", where,
                 arguments);
  }
}

bool isDeviceOutOfMemory(const std::exception& error) {
  const std::string_view text = error.what();
  return containsAny(text, {"MPS backend out of memory", "CUDA out of memory"});
}

}  // namespace mpslab
