// Tidy scopes: what a scope made is disposed at its end, unless it is kept.
#include "addon/guard.h"
#include "tensor/exports.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

Napi::Value beginScope(Environment& environment, const Napi::CallbackInfo& info) {
  environment.scopes.emplace_back();
  return Napi::Number::New(environment.env, static_cast<double>(environment.scopes.size()));
}

/// A tensor from outside the scope stays where it is.
void keep(Environment& environment, napi_value value, uint32_t depth, Link& kept) {
  Handle* handle = handleOf(environment, value);
  if (handle == nullptr) throwTypeError(environment, "endScope(): only Tensors can be kept.");
  if (handle->state != Handle::State::Live || handle->scope < depth) return;
  handle->unlink();
  handle->insertBefore(kept);
}

/// Moves the kept tensors to the enclosing scope, which is the innermost one now.
void moveToEnclosing(Environment& environment, Link& kept) {
  const auto depth = static_cast<uint32_t>(environment.scopes.size());
  while (kept.next != &kept) {
    auto* handle = static_cast<Handle*>(kept.next);
    handle->unlink();
    handle->scope = depth;
    if (depth != 0) handle->insertBefore(environment.scopes.back());
  }
}

/// Also ends the scopes that were opened inside this one and never closed, as when a promise was not awaited.
Napi::Value endScope(Environment& environment, const Napi::CallbackInfo& info) {
  const uint32_t depth = info[0].ToNumber();
  if (depth == 0 || depth > environment.scopes.size()) {
    throwRangeError(environment, "endScope(): scope " + std::to_string(depth) + " is not open.");
  }
  Link kept;
  const auto list = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) keep(environment, list.Get(i), depth, kept);
  while (environment.scopes.size() >= depth) {
    Link& scope = environment.scopes.back();
    while (scope.next != &scope) dispose(*static_cast<Handle*>(scope.next));
    environment.scopes.pop_back();
  }
  moveToEnclosing(environment, kept);
  return info.Env().Undefined();
}

/// Takes the tensor out of all scopes, as if it had been made outside of them.
Napi::Value keepTensor(Environment& environment, const Napi::CallbackInfo& info) {
  Handle* handle = handleOf(environment, info[0]);
  if (handle == nullptr) throwTypeError(environment, "keep(): only Tensors can be kept.");
  if (handle->state == Handle::State::Live) {
    handle->unlink();
    handle->scope = 0;
  }
  return info.Env().Undefined();
}

}  // namespace

void defineScopes(Environment& environment, Napi::Object exports) {
  define<beginScope>(environment, exports, "beginScope");
  define<endScope>(environment, exports, "endScope");
  define<keepTensor>(environment, exports, "keep");
}

}  // namespace mpslab
