// Groups of processes that work together, by number.
#pragma once
#include <napi.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "addon/environment.h"

namespace mpslab {

/// The group with a number of `makeGroup`. Throws Error once it is closed.
c10::intrusive_ptr<c10d::ProcessGroup> groupOf(Environment& environment, Napi::Value number);

/// Adds the functions of groups to the addon's object `distributed`.
void defineProcessGroups(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
