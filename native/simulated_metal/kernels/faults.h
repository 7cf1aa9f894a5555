// Kernels that compute wrong results as Metal's did, to show that the tools that look for wrong results find
// them. None is planted unless it is asked for.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

namespace mpslab::metal {

struct FaultName {
  /// `conv2d wrong for non-contiguous weights`
  std::string name;
  /// The report to PyTorch that the fault follows: `pytorch/pytorch#192212`.
  std::string report;
};

std::vector<FaultName> faults();

/// The name of the planted fault; empty where there is none.
std::string plantedFault();

/// Plants a fault in place of the planted one; an empty name removes it. Returns false for an unknown name.
/// No operator may be in the queue.
bool plantFault(const std::string& name);

/// Whether the planted fault is in this operator.
bool isFaulty(const c10::OperatorHandle& op);

/// Calls a faulty operator's CPU kernel, with wrong results if the arguments trigger the fault. `stack` holds
/// the CPU's views of the arguments, and the results after the call.
void callWrongly(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace mpslab::metal
