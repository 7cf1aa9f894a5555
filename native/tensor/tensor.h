// Converts tensors to JavaScript wrappers, and back.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// A new wrapper; null for an undefined tensor. `shell` is an object of the wrapper class that becomes the
/// wrapper, where the caller has one.
napi_value wrap(Environment& environment, at::Tensor tensor, napi_value shell = nullptr);

/// An array of new wrappers.
Napi::Array wrapAll(Environment& environment, at::TensorList tensors);

/// Puts a defined tensor into a slot of JavaScript's and returns the number of its handle. `reused`: what the
/// slot holds since an earlier tensor, 0 for a fresh one.
uint32_t fillSlot(Environment& environment, at::Tensor tensor, napi_value slot, double reused);

/// The wrapper of a gradient: the one that JavaScript holds already, if any.
napi_value wrapGradient(Environment& environment, const at::Tensor& gradient);

/// Notes that the wrapper is the one of its tensor as a gradient.
void noteGradient(Environment& environment, napi_value wrapper);

/// The handle of a wrapper, disposed ones included; nullptr for anything else.
Handle* handleOf(Environment& environment, napi_value value);

/// The tensor of a wrapper. Throws TypeError for anything else, UseAfterDisposeError for a disposed one.
/// `what` names it in messages: `argument 'tensor'`.
at::Tensor& tensorOf(Environment& environment, napi_value value, const char* what = "the argument");

/// The tensor of a handle, checked against disposal.
at::Tensor& tensorOf(Environment& environment, Handle& handle);

void dispose(Handle& handle);

/// Frees the slot of a disposed handle for another tensor. Returns the number that the wrapper has from now
/// on, or 0 if the wrapper keeps its own.
uint32_t vacateSlot(Environment& environment, Handle& handle);

}  // namespace mpslab
