// Calls the JavaScript functions that capture and format the stack.
#include "addon/call_site.h"

#include "addon/exports.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

/// The JavaScript functions that read the stack of JavaScript. Thread-local, because each environment runs on
/// a thread of its own.
struct StackReader {
  Environment* environment = nullptr;
  /// Returns the user's lines of the stack as text.
  napi_ref lines = nullptr;
  /// `capture` returns the user's lines as an object that is not formatted yet; `placeOf` formats the
  /// innermost line of such an object.
  napi_ref capture = nullptr;
  napi_ref placeOf = nullptr;
};

thread_local StackReader stackReader;

Napi::Value setCallSite(Environment& environment, const Napi::CallbackInfo& info) {
  napi_ref* const functions[] = {&stackReader.lines, &stackReader.capture, &stackReader.placeOf};
  for (size_t i = 0; i < std::size(functions); ++i) {
    if (!info[i].IsFunction()) throwTypeError(environment, "setCallSite(): expected three functions.");
    if (*functions[i] != nullptr) napi_delete_reference(environment.env, *functions[i]);
    napi_create_reference(environment.env, info[i], 1, functions[i]);
  }
  stackReader.environment = &environment;
  return info.Env().Undefined();
}

Napi::Function functionOf(napi_ref reference) {
  napi_value function = nullptr;
  napi_get_reference_value(stackReader.environment->env, reference, &function);
  return {stackReader.environment->env, function};
}

}  // namespace

std::string callSite() {
  if (stackReader.lines == nullptr) return {};
  Napi::HandleScope scope(stackReader.environment->env);
  try {
    return functionOf(stackReader.lines).Call({}).ToString();
  } catch (const Napi::Error&) {
    return {};  // The call fails on a stack overflow, for example. Callers accept an empty text.
  }
}

std::shared_ptr<const CallSite> CallSite::here() {
  if (stackReader.capture == nullptr) return nullptr;
  Napi::HandleScope scope(stackReader.environment->env);
  try {
    return std::make_shared<CallSite>(*stackReader.environment, functionOf(stackReader.capture).Call({}));
  } catch (const Napi::Error&) {
    return nullptr;
  }
}

CallSite::CallSite(Environment& environment, napi_value captured) : dead_(environment.dead) {
  napi_create_reference(environment.env, captured, 1, &captured_);
}

CallSite::~CallSite() { dead_->add(captured_); }

std::string CallSite::text() const {
  if (stackReader.placeOf == nullptr || stackReader.environment->dead != dead_) return {};
  Napi::HandleScope scope(stackReader.environment->env);
  napi_value captured = nullptr;
  napi_get_reference_value(stackReader.environment->env, captured_, &captured);
  try {
    return functionOf(stackReader.placeOf).Call({captured}).ToString();
  } catch (const Napi::Error&) {
    return {};
  }
}

void defineCallSite(Environment& environment, Napi::Object exports) {
  define<setCallSite>(environment, exports, "setCallSite");
}

}  // namespace mpslab
