// The functions for JavaScript: begin and end watching the operators of a step.
#include "addon/guard.h"
#include "shadow/exports.h"
#include "shadow/observer.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

thread_local std::unique_ptr<shadow::Observer> watching;

/// `beginShadow({ device, share, seed, tolerance, tolerances })`. If `share` is null, every call is compared.
Napi::Value beginShadow(Environment& environment, const Napi::CallbackInfo& info) {
  if (watching)
    throwTypeError(
        environment,
        "lab.shadow: a step is watched already: await that lab.shadow() first, or interrupt its cell.");
  if (environment.capture) {
    throwTypeError(environment,
                   "lab.shadow: the step that torch.capture() records cannot be compared at the same time: "
                   "call lab.shadow() outside of it.");
  }
  const auto given = info[0].As<Napi::Object>();
  shadow::Options options{.device = *deviceOf(given.Get("device").ToString().Utf8Value())};
  if (given.Get("share").IsNumber()) options.share = given.Get("share").ToNumber();
  options.seed = static_cast<uint64_t>(given.Get("seed").ToNumber().Int64Value());
  options.tolerance = given.Get("tolerance").ToNumber();
  const auto tolerances = given.Get("tolerances").As<Napi::Object>();
  for (const auto& [name, value] : tolerances)
    options.tolerances[name.ToString()] = Napi::Value(value).ToNumber();
  watching = std::make_unique<shadow::Observer>(environment, std::move(options));
  return info.Env().Undefined();
}

/// Stops watching and returns `{ elapsedMs, spentMs, kinds, finding }`.
Napi::Value endShadow(Environment& environment, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!watching) return env.Null();
  const std::unique_ptr<shadow::Observer> ended = std::move(watching);
  const shadow::Sampling& sampling = ended->sampling();
  Napi::Array kinds = Napi::Array::New(env);
  for (const shadow::CallKind* kind : sampling.kinds()) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("operator", kind->op->operator_name().name.substr(std::string_view("aten::").size()));
    one.Set("calls", static_cast<double>(kind->seen));
    one.Set("compared", static_cast<double>(kind->compared));
    one.Set("spentMs", kind->spentMs);
    one.Set("leftOut", kind->leftOut);
    kinds.Set(kinds.Length(), one);
  }
  Napi::Object report = Napi::Object::New(env);
  report.Set("elapsedMs", sampling.elapsedMs());
  report.Set("spentMs", sampling.spentMs());
  report.Set("kinds", kinds);
  report.Set("finding",
             ended->finding() ? Napi::Value(toJavaScript(environment, *ended->finding())) : env.Null());
  return report;
}

}  // namespace

void defineShadow(Environment& environment, Napi::Object exports) {
  // The observer must end with the environment, which the thread outlives.
  Napi::Env(environment.env).AddCleanupHook([] { watching.reset(); });
  define<beginShadow>(environment, exports, "beginShadow");
  define<endShadow>(environment, exports, "endShadow");
}

}  // namespace mpslab
