// Kernels that go wrong as Metal's did, so that what finds wrong results can be seen to find them. None is
// planted unless it is asked for.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

namespace mpslab::metal {

struct FaultName {
  /// `conv2d wrong for non-contiguous weights`
  std::string name;
  /// The report of PyTorch that it follows: `pytorch/pytorch#192212`.
  std::string report;
};

std::vector<FaultName> faults();

/// The name of the planted fault; empty where there is none.
std::string plantedFault();

/// Plants one, in place of what was planted before; an empty name takes it away. False for an unknown name.
/// No operator may be in the queue.
bool plantFault(const std::string& name);

/// Whether the planted fault is in this operator.
bool isFaulty(const c10::OperatorHandle& op);

/// Calls a faulty operator's CPU kernel, wrongly where the arguments are of the fault's kind. `stack` holds
/// the CPU's views of the arguments, and the results after it.
void callWrongly(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace mpslab::metal
