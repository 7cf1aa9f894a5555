// Recognizes the JavaScript objects that hold libtorch's random generators. Arguments of operators may be
// such objects.
#pragma once
#include <ATen/core/Generator.h>
#include <napi.h>

#include <memory>

namespace mpslab {

/// The generator of a JavaScript object, nullptr for anything else.
const at::Generator* generatorOf(napi_env env, napi_value value);

/// Moves the generator into the object, which frees it. Returns false if the object holds something already;
/// the caller then keeps the generator.
bool wrapGeneratorObject(napi_env env, napi_value object, std::unique_ptr<at::Generator>& generator);

}  // namespace mpslab
