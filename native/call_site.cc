// Asks JavaScript for its own stack. Knows neither cells nor files.
#include "call_site.h"

#include "guard.h"

namespace mpslab {
namespace {

/// Each environment has a thread of its own.
struct Teller {
  napi_env env = nullptr;
  napi_ref function = nullptr;
};

thread_local Teller teller;

Napi::Value setCallSite(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setCallSite(): expected a function.");
  if (teller.function != nullptr) napi_delete_reference(teller.env, teller.function);
  teller.env = environment.env;
  napi_create_reference(environment.env, info[0], 1, &teller.function);
  return info.Env().Undefined();
}

}  // namespace

std::string callSite() {
  if (teller.function == nullptr) return {};
  Napi::HandleScope scope(teller.env);
  napi_value function = nullptr;
  napi_get_reference_value(teller.env, teller.function, &function);
  try {
    return Napi::Function(teller.env, function).Call({}).ToString();
  } catch (const Napi::Error&) {
    return {};  // The stack is used up, say: whoever asks can do without.
  }
}

void defineCallSite(Environment& environment, Napi::Object exports) {
  define<setCallSite>(environment, exports, "setCallSite");
}

}  // namespace mpslab
