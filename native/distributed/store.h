// The stores through which processes find each other. The process that listens keeps their keys and values.
#pragma once
#include <napi.h>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "addon/environment.h"

namespace mpslab {

/// The store with a number of `openStore`. Throws Error once it is closed.
c10::intrusive_ptr<c10d::Store> storeOf(Environment& environment, Napi::Value number);

/// Adds the functions of stores to the addon's object `distributed`.
void defineStores(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
