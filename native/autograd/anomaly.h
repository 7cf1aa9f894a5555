// Anomaly mode: each node records where it was made, and an error of backward names that place.
#pragma once
#include <napi.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <memory>

#include "addon/environment.h"

namespace mpslab {

/// Returns the metadata that the engine makes for each node under anomaly mode.
std::unique_ptr<torch::autograd::AnomalyMetadata> makeForwardPlace();

/// Forgets which node an earlier backward failed in.
void forgetFailedNode();

/// Adds to an error of backward where the node in which it arose was recorded, if that is known.
void tellFailedNode(Environment& environment, const Napi::Error& error, bool isOfUser);

}  // namespace mpslab
