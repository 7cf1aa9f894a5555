// Calls the JavaScript functions that capture and format the stack.
#include "addon/call_site.h"

#include "addon/exports.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

/// JavaScript's functions for its own stack. Each environment has a thread of its own.
struct Teller {
  Environment* environment = nullptr;
  /// The user's lines as text.
  napi_ref lines = nullptr;
  /// The same as an object that is not formatted yet, and the text of its innermost line.
  napi_ref capture = nullptr;
  napi_ref placeOf = nullptr;
};

thread_local Teller teller;

Napi::Value setCallSite(Environment& environment, const Napi::CallbackInfo& info) {
  napi_ref* const functions[] = {&teller.lines, &teller.capture, &teller.placeOf};
  for (size_t i = 0; i < std::size(functions); ++i) {
    if (!info[i].IsFunction()) throwTypeError(environment, "setCallSite(): expected three functions.");
    if (*functions[i] != nullptr) napi_delete_reference(environment.env, *functions[i]);
    napi_create_reference(environment.env, info[i], 1, functions[i]);
  }
  teller.environment = &environment;
  return info.Env().Undefined();
}

Napi::Function functionOf(napi_ref reference) {
  napi_value function = nullptr;
  napi_get_reference_value(teller.environment->env, reference, &function);
  return {teller.environment->env, function};
}

}  // namespace

std::string callSite() {
  if (teller.lines == nullptr) return {};
  Napi::HandleScope scope(teller.environment->env);
  try {
    return functionOf(teller.lines).Call({}).ToString();
  } catch (const Napi::Error&) {
    return {};  // For example a stack overflow. Callers accept an empty text.
  }
}

std::shared_ptr<const CallSite> CallSite::here() {
  if (teller.capture == nullptr) return nullptr;
  Napi::HandleScope scope(teller.environment->env);
  try {
    return std::make_shared<CallSite>(*teller.environment, functionOf(teller.capture).Call({}));
  } catch (const Napi::Error&) {
    return nullptr;
  }
}

CallSite::CallSite(Environment& environment, napi_value captured) : dead_(environment.dead) {
  napi_create_reference(environment.env, captured, 1, &captured_);
}

CallSite::~CallSite() { dead_->add(captured_); }

std::string CallSite::text() const {
  if (teller.placeOf == nullptr || teller.environment->dead != dead_) return {};
  Napi::HandleScope scope(teller.environment->env);
  napi_value captured = nullptr;
  napi_get_reference_value(teller.environment->env, captured_, &captured);
  try {
    return functionOf(teller.placeOf).Call({captured}).ToString();
  } catch (const Napi::Error&) {
    return {};
  }
}

void defineCallSite(Environment& environment, Napi::Object exports) {
  define<setCallSite>(environment, exports, "setCallSite");
}

}  // namespace mpslab
