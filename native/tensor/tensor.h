// Converts tensors to JavaScript wrappers, and back.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// Returns a new wrapper; null for an undefined tensor. If `shell` is given, that object of the wrapper class
/// becomes the wrapper.
napi_value wrap(Environment& environment, at::Tensor tensor, napi_value shell = nullptr);

/// Returns an array of new wrappers.
Napi::Array wrapAll(Environment& environment, at::TensorList tensors);

/// Puts a defined tensor into a JavaScript slot and returns the number of its handle. `reused` is the handle
/// number that the slot kept from an earlier tensor, 0 for a new slot.
uint32_t fillSlot(Environment& environment, at::Tensor tensor, napi_value slot, double reused);

/// Returns the wrapper of a gradient: the one that JavaScript already holds, if there is one.
napi_value wrapGradient(Environment& environment, const at::Tensor& gradient);

/// Notes that this wrapper stands for its tensor wherever that tensor is a gradient.
void noteGradient(Environment& environment, napi_value wrapper);

/// The handle of a wrapper, disposed ones included; nullptr for anything else.
Handle* handleOf(Environment& environment, napi_value value);

/// The tensor of a wrapper. Throws TypeError for anything else, UseAfterDisposeError for a disposed one.
/// `what` names the argument in messages: `argument 'tensor'`.
at::Tensor& tensorOf(Environment& environment, napi_value value, const char* what = "the argument");

/// The tensor of a handle. Throws UseAfterDisposeError if it was disposed.
at::Tensor& tensorOf(Environment& environment, Handle& handle);

void dispose(Handle& handle);

/// Frees the slot of a disposed handle for another tensor. Returns the number that the wrapper has from now
/// on, or 0 if the wrapper keeps its own.
uint32_t vacateSlot(Environment& environment, Handle& handle);

}  // namespace mpslab
